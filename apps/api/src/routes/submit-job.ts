import { type PlannedJob, planJob } from '@stoker/coordinator'
import type { JobRecord, NewChild } from '@stoker/jobs'
import { checkRedis } from '@stoker/queue'
import { type CheckedJob, type CheckedPipeline, hashJson, type Job, JobSchema } from '@stoker/spec'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { checkAllButBody } from '../http/validation.js'
import { newJobId } from '../job-id.js'
import { problems, Submitted } from '../schemas.js'

export function submitJob(app: App, context: RouteContext): void {
  app.post(
    '/v1/jobs',
    {
      config: { access: 'jobs:write' },
      schema: {
        tags: ['jobs'],
        summary: 'Submit a job',
        description:
          'Lists and pins the shards, and answers before any is read. With the same Idempotency-Key and the same spec ' +
          'the answer is the job made before, with status 200.',
        headers: Type.Object({ 'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
        body: JobSchema,
        response: { 200: Submitted, 201: Submitted, ...problems(400, 403, 404, 409, 413, 415, 422, 503) },
      },
      // parseJob checks the body: it names the place better.
      validatorCompiler: checkAllButBody,
    },
    async (request, reply) => {
      const { maxmemoryBytes = 0 } = await checkRedis(context.redis)
      const signal = context.waits.signal(reply)
      const { store, config } = context
      const planned = await planJob({
        document: request.body,
        context: { store, scratch: config.scratch, signal },
        redisMaxBytes: maxmemoryBytes,
      })
      const { record, created } = await create(planned, request.headers['idempotency-key'], context)
      const { id, state } = record
      return reply
        .code(created ? 201 : 200)
        .header('location', `/v1/jobs/${id}`)
        .send({ id, state, links: linksOf(id), findings: [...planned.findings] })
    },
  )
}

/** Writes the job with, where it validates, the feed of its validation data. */
async function create(
  { checked, plan, validation }: PlannedJob,
  idempotencyKey: string | undefined,
  { jobs }: RouteContext,
): Promise<{ record: JobRecord; created: boolean }> {
  const { job: spec, specHash } = checked
  const id = newJobId()
  const name = spec.name ?? `job ${id.slice(0, 6)}`
  const child = checked.validation && validation && { job: feedOf(checked, checked.validation, name), plan: validation }
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  return jobs.create({ id, name, spec, specHash }, plan, { ...key, child })
}

function feedOf({ job, epochs }: CheckedJob, { pipeline }: CheckedPipeline, name: string): NewChild {
  const { train: _trainer, ...rest } = job
  const spec: Job = { ...rest, pipeline, epochs }
  return { name: `${name}: validation`, spec, specHash: hashJson(spec) }
}

const linksOf = (id: string): Submitted['links'] => {
  const self = `/v1/jobs/${id}`
  return {
    self,
    events: `${self}/events`,
    batch: `${self}/batches/0/0`,
    cancel: `${self}/cancel`,
    pause: `${self}/pause`,
    resume: `${self}/resume`,
    page: `/#/jobs/${id}`,
  }
}
