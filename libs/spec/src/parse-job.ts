import { Type } from 'typebox'
import { parseBytes } from './bytes.js'
import { hashJson } from './canonical.js'
import { type CheckedPipeline, checkPipeline, MOST_EPOCHS } from './check/index.js'
import { SpecInvalid, TooManyRepeats } from './error-table.js'
import { type Job, JobSchema } from './job.js'
import { checkTrain } from './train/check.js'
import { TrainSchema } from './train/schema.js'
import { validate, withDefaults } from './validate.js'

/** A job that holds together, with defaults filled in, and its checked chains. */
export interface CheckedJob {
  readonly job: Job
  readonly checked: CheckedPipeline
  readonly validation: CheckedPipeline | undefined
  /** Passes over the pipeline that the consumer makes: epochs, times a repeat after batch. */
  readonly epochs: number
  readonly bufferBytes: number
  /** SHA-256 of the canonical JSON of the job, name left out: equal hashes mean equal batches from equal shards. */
  readonly specHash: string
}

// The pipeline itself is checked stage by stage, for errors that name the stage instead of listing every op there is.
const Loose = { pipeline: Type.Unknown() }
const LooseTrain = Type.Object(
  { ...TrainSchema.properties, validation: Type.Optional(Type.Object(Loose, { additionalProperties: false })) },
  { additionalProperties: false },
)
const LooseJob = Type.Object(
  { ...JobSchema.properties, ...Loose, train: Type.Optional(LooseTrain) },
  { additionalProperties: false },
)

const invalid = (path: string, text: string, remedy: string) =>
  SpecInvalid(path, text).with({ place: { path }, remedy })

/**
 * Checks a submitted document.
 * @throws StokerError (status 400) with `place.path` and a remedy.
 */
export function parseJob(document: unknown): CheckedJob {
  validate(LooseJob, document, '')
  const given = document as Job
  const checked = checkPipeline(given.pipeline)
  const train = given.train && withDefaults(TrainSchema, given.train)
  const validation = train?.validation
    ? checkPipeline(train.validation.pipeline, 'train.validation.pipeline')
    : undefined
  const job: Job = {
    ...withDefaults(JobSchema, given),
    pipeline: checked.pipeline,
    ...(train ? { train: { ...train, ...(validation ? { validation: { pipeline: validation.pipeline } } : {}) } } : {}),
  }
  if (train) {
    if (given.epochs !== undefined)
      throw invalid('epochs', 'a training job says its epochs in train.epochs', 'move it there')
    delete job.epochs
    checkTrain(train, checked, validation)
  }
  if (checked.order.repeatsUntilTold && given.epochs === undefined && given.train?.epochs === undefined) {
    throw invalid('pipeline.stages', 'repeat without a count never ends', 'give repeat a count or the job epochs')
  }
  const epochs = (train?.epochs ?? job.epochs ?? 1) * checked.order.epochRepeats
  if (epochs > MOST_EPOCHS)
    throw TooManyRepeats(epochs, MOST_EPOCHS).with({ place: { path: train ? 'train.epochs' : 'epochs' } })
  const { name: _name, ...meaning } = job
  return {
    job,
    checked,
    validation,
    epochs,
    bufferBytes: parseBytes(job.bufferBytes ?? '256MiB'),
    specHash: hashJson(meaning),
  }
}
