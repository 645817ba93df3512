import { type Static, Type } from 'typebox'
import Value from 'typebox/value'
import { TaskInvalid } from './error-table.js'
import type { QueueName } from './keys.js'

const strict = { additionalProperties: false } as const
const JobId = Type.String({ minLength: 1, maxLength: 80, pattern: '^[a-z0-9]+(\\.[a-z0-9]+)*$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Make batches [firstBatch, firstBatch + count) of an epoch and put them into the buffer. */
export const BatchTask = Type.Object(
  {
    kind: Type.Literal('batch'),
    job: JobId,
    epoch: Count,
    firstBatch: Count,
    count: Type.Integer({ minimum: 1, maximum: 1 << 20 }),
  },
  strict,
)
export type BatchTask = Static<typeof BatchTask>

/** Index one shard of the job's plan. */
export const IndexTask = Type.Object({ kind: Type.Literal('index'), job: JobId, shard: Count }, strict)
export type IndexTask = Static<typeof IndexTask>

/** Make one batch for somebody who wants to look at it. */
export const PreviewTask = Type.Object(
  { kind: Type.Literal('preview'), job: JobId, epoch: Count, batch: Count },
  strict,
)
export type PreviewTask = Static<typeof PreviewTask>

/** Train the job's model. */
export const TrainTask = Type.Object({ kind: Type.Literal('train'), job: JobId }, strict)
export type TrainTask = Static<typeof TrainTask>

const SCHEMAS = { batch: BatchTask, index: IndexTask, preview: PreviewTask, train: TrainTask } as const
export type TaskKind = keyof typeof SCHEMAS
export type AnyTask = BatchTask | IndexTask | PreviewTask | TrainTask

/** Somebody waits for a preview; an index opens up many batches; smaller goes first. Ages within one kind keep order. */
export const PRIORITY = { preview: 1, index: 2, batch: 3, train: 1 } as const satisfies Record<TaskKind, number>

export const queueOf = (task: AnyTask): QueueName => (task.kind === 'train' ? 'train' : 'tasks')

/** The task's name: equal tasks have equal ids, so that adding one again while it is live changes nothing. */
export function taskId(task: AnyTask): string {
  switch (task.kind) {
    case 'batch':
      return `${task.job}.e${task.epoch}.b${task.firstBatch}.n${task.count}`
    case 'index':
      return `${task.job}.i${task.shard}`
    case 'preview':
      return `${task.job}.p${task.epoch}.b${task.batch}`
    case 'train':
      return `${task.job}.train`
  }
}

/** Checks a payload, whoever wrote it. @throws TaskInvalid */
export function parseTask(payload: unknown, id: string): AnyTask {
  const kind = typeof payload === 'object' && payload !== null && 'kind' in payload ? payload.kind : undefined
  if (!isKind(kind)) throw TaskInvalid(id, `kind ${JSON.stringify(kind) ?? 'missing'} is not known`)
  const schema = SCHEMAS[kind]
  if (!Value.Check(schema, payload)) {
    const first = Value.Errors(schema, payload)[0]
    throw TaskInvalid(id, first ? `${first.instancePath || '/'} ${first.message}` : 'it does not match its schema')
  }
  return payload
}

const isKind = (kind: unknown): kind is TaskKind => typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind)
