import { JOB_STATES } from '@stoker/jobs'
import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
/** Missing where it is not known (yet), or does not apply. */
const Known = (description: string) => Type.Optional(Type.Number({ description }))

export const Place = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'JSON path in the submitted document' })),
    shard: Type.Optional(Type.String()),
    record: Type.Optional(Count),
    offset: Type.Optional(Count),
    op: Type.Optional(Type.String()),
    field: Type.Optional(Type.String()),
    epoch: Type.Optional(Count),
    batch: Type.Optional(Count),
  },
  { ...strict, description: 'where in the request or in the data' },
)

/** RFC 9457, with the code to branch on and what to change. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'stable: STK_...' }),
    detail: Type.String(),
    place: Type.Optional(Place),
    remedy: Type.Optional(Type.String({ description: 'what to change' })),
  },
  { ...strict, title: 'Problem' },
)
export type Problem = Static<typeof Problem>

/** Response rows of a route for statuses that are problems. */
export const problems = <Status extends number>(...statuses: readonly Status[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: 'says what to change', content: { 'application/problem+json': { schema: Problem } } },
    ]),
  ) as Record<Status, { description: string; content: { 'application/problem+json': { schema: typeof Problem } } }>

export const JobParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 80 }) })
export const BatchParams = Type.Object({
  ...JobParams.properties,
  epoch: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  batch: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
export const BatchAt = Type.Object(
  { epoch: BatchParams.properties.epoch, batch: BatchParams.properties.batch },
  { ...strict, description: 'both count from 0' },
)

export const Finding = Type.Object(
  {
    code: Type.String(),
    level: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    path: Type.String(),
    message: Type.String(),
    fix: Type.String(),
  },
  { ...strict, title: 'Finding' },
)

export const State = Type.Enum(JOB_STATES)

const Links = Type.Object(
  {
    self: Type.String(),
    events: Type.String(),
    batch: Type.String({ description: 'the first batch, to look at' }),
    cancel: Type.String(),
    pause: Type.String(),
    resume: Type.String(),
    page: Type.String(),
  },
  strict,
)

export const Submitted = Type.Object(
  { id: Type.String(), state: State, links: Links, findings: Type.Array(Finding) },
  { ...strict, title: 'Submitted' },
)
export type Submitted = Static<typeof Submitted>

export const Progress = Type.Object(
  {
    shards: Count,
    shardsIndexed: Count,
    records: Type.Integer({ minimum: 0, description: 'of one epoch, as far as shards are indexed' }),
    epochs: Count,
    batchesPerEpoch: Known('once all shards are indexed'),
    batchesTotal: Known('of all epochs'),
    epoch: Type.Integer({ minimum: 0, description: 'of the first batch that is not consumed' }),
    batch: Type.Integer({ minimum: 0, description: 'the first batch that is not consumed' }),
    batchesDone: Known('consumed, of all epochs'),
    readyBatches: Type.Integer({ minimum: 0, description: 'made and not consumed' }),
    readyBytes: Count,
    badRecords: Known('set aside so far, where the job skips or substitutes bad records'),
    lostRecords: Known('gone with them in the damaged rest of a shard, estimated'),
    storageRetries: Known('times that workers waited before they asked the object store again'),
    step: Known('steps of the trainer so far'),
    totalSteps: Known('of all epochs'),
    loss: Known('mean of the epoch so far'),
    accuracy: Known('mean of the epoch so far'),
    metrics: Type.Optional(
      Type.Record(Type.String(), Type.Number(), { description: 'of the epoch so far, accuracy included, by name' }),
    ),
    learningRate: Known('of the last step'),
    stepMs: Known('computing a step, of the last steps'),
    waitMs: Known('waiting for a batch, of the last steps'),
    inputWaitShare: Known('share of the time of all steps spent waiting for batches, 0 to 1'),
    secondsLeft: Known('at the pace of the training so far'),
  },
  { ...strict, title: 'Progress' },
)
export type Progress = Static<typeof Progress>

const ErrorView = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    place: Type.Optional(Place),
    remedy: Type.Optional(Type.String()),
    retryable: Type.Boolean(),
  },
  strict,
)

export const JobView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    state: State,
    kind: Type.Union([Type.Literal('train'), Type.Literal('feed')]),
    specHash: Type.String(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    finishedAt: Type.Optional(Type.String()),
    pausedFrom: Type.Optional(State),
    parent: Type.Optional(Type.String()),
    progress: Progress,
    error: Type.Optional(ErrorView),
    result: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'accuracy, model, checkpoint, ...' }),
    ),
  },
  { ...strict, title: 'JobView' },
)
export type JobView = Static<typeof JobView>

/** One job alone comes with its spec, defaults filled in. */
export const JobWithSpec = Type.Object(
  { ...JobView.properties, spec: Type.Unknown({ description: 'as POST /v1/jobs takes it' }) },
  { ...strict, title: 'JobWithSpec' },
)

export const JobList = Type.Object(
  { jobs: Type.Array(JobView), next: Type.Optional(Type.String({ description: 'address of the next page' })) },
  { ...strict, title: 'JobList' },
)

export const Binary = (description: string) =>
  Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary', description })
