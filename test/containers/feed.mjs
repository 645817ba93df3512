// feed.mjs API: with STOKER_API_KEY, a feed-only job over HTTP, range(100).batch(7), pulled to its end. Prints one line; fails when a value,
// the number of batches or the end differs.
import assert from 'node:assert/strict'
import { decodeBatch } from '@stoker/buffer'
import { createClient, followJob } from '@stoker/cli'
import { pipeline, range } from '@stoker/spec'

const RECORDS = 100
const BATCH = 7

const client = createClient(process.argv[2], { key: process.env.STOKER_API_KEY })
const { id } = await client.submit({ name: 'feed', pipeline: pipeline(range(RECORDS)).batch(BATCH).toJSON() })
const values = []
let batch = 0
for (;;) {
  const taken = await client.take(id, { epoch: 0, batch }, { waitMs: 10_000, signal: AbortSignal.timeout(60_000) })
  if (taken.kind === 'later') continue
  if (taken.kind === 'end') break
  const { data } = decodeBatch(taken.bytes).tensors.find(({ name }) => name === 'value')
  values.push(...new BigInt64Array(Uint8Array.from(data).buffer))
  batch++
}
assert.deepEqual(values.map(Number), [...Array(RECORDS).keys()])
assert.equal(batch, Math.ceil(RECORDS / BATCH))
// The coordinator sees a moment later that all is consumed.
let view
for await (view of followJob(client, id, AbortSignal.timeout(60_000)));
assert.equal(view?.state, 'succeeded')
process.stdout.write(`${batch} batches, ${RECORDS} records in order, job ${view.state}\n`)
