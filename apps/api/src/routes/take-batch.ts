import { normalise } from '@stoker/coordinator'
import type { JobRecord } from '@stoker/jobs'
import type { BatchAt as At } from '@stoker/plan'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { tokenAfter } from '../batch-token.js'
import { JobFailed } from '../error-table.js'
import { pullable } from '../feed.js'
import { BatchAt, Binary, JobParams, problems } from '../schemas.js'

const MOST_WAIT_MS = 60_000
const DEFAULT_WAIT_MS = 10_000
/** While the number of batches is not known, the batch waited for may turn out not to exist. */
const LOOK_AGAIN_MS = 500

export function takeBatch(app: App, context: RouteContext): void {
  const { jobs, facts, waits } = context
  app.post(
    '/v1/jobs/:id/take',
    {
      config: { access: 'jobs:write' },
      schema: {
        tags: ['batches'],
        summary: 'Take a batch as the consumer of a job without train',
        description:
          'All batches before {epoch, batch} are consumed by it; asking for an earlier one again rewinds. A batch past the ' +
          "end of an epoch is the next epoch's first. The header stoker-token names the batch after the one that comes.",
        params: JobParams,
        body: Type.Object(
          {
            ...BatchAt.properties,
            waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_WAIT_MS, default: DEFAULT_WAIT_MS })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'the batch as safetensors; {"done":true} when all batches are consumed',
            content: {
              'application/octet-stream': { schema: Binary('safetensors') },
              'application/json': { schema: Type.Object({ done: Type.Literal(true) }) },
            },
          },
          204: Type.Null({ description: 'not ready within waitMs: ask again' }),
          ...problems(400, 404, 409, 410, 415, 503),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { epoch, batch, waitMs = DEFAULT_WAIT_MS } = request.body
      const record = pullable(await jobs.get(id))
      if (record.state === 'succeeded') return reply.send(await doneAt(record, { epoch, batch }, context))
      const taken = await take(id, { epoch, batch }, waitMs, waits.signal(reply), context)
      if (taken === 'done') return reply.send({ done: true })
      if (taken === undefined) return reply.code(204).send(null)
      const token = tokenAfter(record, (await facts.of(id)).order, taken.at)
      return reply
        .headers({ 'stoker-token': JSON.stringify(token), 'cache-control': 'no-store' })
        .type('application/octet-stream')
        .send(taken.bytes)
    },
  )
}

/** Only who asks past the end is done; a batch of a job that is over is told as such. @throws JobFailed */
async function doneAt({ id, state }: JobRecord, wanted: At, { facts }: RouteContext): Promise<{ done: true }> {
  const at = normalise((await facts.of(id)).order, wanted)
  if (at)
    throw JobFailed(id, state, `batch ${at.batch} of epoch ${at.epoch} has been consumed`).with({
      remedy: 'submit the job again to consume it anew',
    })
  return { done: true }
}

/** Moves the cursor and waits for the batch there; undefined when time is over or the server stops. */
async function take(
  id: string,
  wanted: At,
  waitMs: number,
  signal: AbortSignal,
  { jobs, facts, buffer }: RouteContext,
): Promise<{ bytes: Uint8Array; at: At } | 'done' | undefined> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const { order } = await facts.of(id)
    const at = normalise(order, wanted)
    await buffer.setCursor(id, at ?? { epoch: order.epochs, batch: 0 })
    if (!at) return 'done'
    const leftMs = Math.max(0, deadline - performance.now())
    const isEndKnown = order.batchesIn(at.epoch) !== undefined
    try {
      const limitMs = isEndKnown ? leftMs : Math.min(leftMs, LOOK_AGAIN_MS)
      const bytes = await buffer.take(id, at.epoch, at.batch, { waitMs: limitMs, signal })
      if (bytes) return { bytes, at }
    } catch (error) {
      if (signal.aborted) return undefined
      // The job has ended meanwhile: its record says how.
      if (pullable(await jobs.get(id)).state === 'succeeded') return 'done'
      throw error
    }
    if (performance.now() >= deadline) return undefined
  }
}
