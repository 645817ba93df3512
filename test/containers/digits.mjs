// digits.mjs API: with STOKER_API_KEY, writes the demo's digits to the S3 store of the stack (STOKER_STORE, STOKER_S3_* and AWS_* as seen from
// here), trains on them over HTTP for two epochs, and checks accuracy, model and checkpoint. Prints one line.
import assert from 'node:assert/strict'
import { createClient, followJob } from '@stoker/cli'
import { createStore, storageConfigFromEnv } from '@stoker/storage'
import { ensureDataSet } from '../../apps/cli/dist/demo/data-set.js'
import { recipe } from '../../docs/examples/digits/data.mjs'
import { job } from '../../docs/examples/digits/job.mjs'

const EPOCHS = 2
const LEAST_ACCURACY = 0.9
const TRAINED_WITHIN_MS = 300_000

const store = createStore(storageConfigFromEnv(process.env))
const data = await ensureDataSet(store, process.env.STOKER_STORE, recipe, () => {})
const client = createClient(process.argv[2], { key: process.env.STOKER_API_KEY })
const { id } = await client.submit(job(data, EPOCHS))
let view
for await (view of followJob(client, id, AbortSignal.timeout(TRAINED_WITHIN_MS)));
assert.equal(view?.state, 'succeeded', JSON.stringify(view))
const { accuracy, steps, stepsPerSecond, model, checkpoint } = view.result
assert.ok(accuracy >= LEAST_ACCURACY, `accuracy ${accuracy}`)
for (const uri of [model, checkpoint]) {
  assert.match(uri, /^s3:/)
  assert.ok((await store.walk(uri)).length > 0, `nothing lies at ${uri}`)
}
await store.close()
process.stdout.write(`${steps} steps at ${Math.round(stepsPerSecond)}/s, accuracy ${accuracy}, model at ${model}\n`)
