import { type Static, Type } from 'typebox'
import { PipelineSchema } from './pipeline.js'
import { TrainSchema } from './train/schema.js'

const ByteSize = Type.Union([
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String({ pattern: '^\\s*\\d+(\\.\\d+)?\\s*(B|KiB|MiB|GiB|TiB)?\\s*$' }),
])

/** What a user submits. Without `train` the job is feed-only: any consumer may pull its batches. */
export const JobSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    pipeline: PipelineSchema,
    train: Type.Optional(TrainSchema),
    epochs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1 << 30,
        default: 1,
        description: 'of a feed-only job; a training job says train.epochs',
      }),
    ),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    deterministic: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'false lets a consumer take any ready batch of the epoch; the batches are the same',
      }),
    ),
    wire: Type.Optional(
      Type.Union([Type.Literal('auto'), Type.Literal('float32')], {
        default: 'auto',
        description:
          'auto sends pixels as uint8 and lets the consumer cast and scale; float32 sends exact resized floats',
      }),
    ),
    bufferBytes: Type.Optional(
      Type.Unsafe<number | string>({
        ...ByteSize,
        default: '256MiB',
        description: 'most bytes of made, not yet consumed batches in Redis',
      }),
    ),
    onBadRecord: Type.Optional(
      Type.Union([Type.Literal('fail'), Type.Literal('skip'), Type.Literal('substitute')], {
        default: 'fail',
        description:
          'a record that cannot be read or decoded ends the job; is left out, so that its batch is short by one; or another record of its window, always the same one, stands in for it. All other batches stay as planned, and the job lists it',
      }),
    ),
    maxBadFraction: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'of all records: a job that skips or substitutes fails once more than these are bad; without it, any number may be',
      }),
    ),
    strict: Type.Optional(Type.Boolean({ default: false, description: 'lint warnings refuse the job' })),
  },
  { title: 'Job', additionalProperties: false },
)
export type Job = Static<typeof JobSchema>

/** What can be told about a place in a job's sequence of batches, in constant size: enough for an exact resume. */
export const ResumeToken = Type.Object(
  {
    job: Type.String(),
    specHash: Type.String(),
    epoch: Type.Integer({ minimum: 0 }),
    batch: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
)
export type ResumeToken = Static<typeof ResumeToken>
