import { randomInt } from 'node:crypto'
import { encodeBatch } from '@stoker/buffer'
import { childId, type JobStore } from '@stoker/jobs'
import { createOrder, makePlan, type Order, type Plan } from '@stoker/plan'
import { fixedLen, parseJob, pipeline, type Train, tfrecord } from '@stoker/spec'

export const SIDE = 4
export const CLASSES = 3
export const BATCH = 16

export interface ToyOptions {
  readonly trainRecords?: number
  readonly validationRecords?: number
  readonly epochs?: number
  readonly everySteps?: number
  readonly keep?: number
  readonly learningRate?: number
  /** Making the model keeps the engine thread busy for seconds: an orthogonal matrix is computed in JavaScript. */
  readonly slowModel?: boolean
  /** More of the job's `train`. */
  readonly train?: Partial<Train>
}

/** A feed whose batches the test makes itself. */
export interface ToyFeed {
  readonly id: string
  readonly plan: Plan
  readonly records: number
  readonly order: Order
}

const chain = (files: string) =>
  pipeline(tfrecord(files))
    .parseExample({ x: fixedLen('int64', [SIDE * SIDE]), label: fixedLen('int64') })
    .cast('x', 'uint8')
    .cast('x', 'float32')
    .scale('x', 1 / 255)
    .cast('label', 'int32')
    .batch(BATCH)
    .prefetch(8)
    .toJSON()

const seeded = (units: number, activation: string, seed: number, first = false, initializer = 'GlorotUniform') => ({
  class_name: 'Dense',
  config: {
    name: `dense_${seed}`,
    units,
    activation,
    use_bias: true,
    kernel_initializer: { class_name: initializer, config: { seed } },
    bias_initializer: { class_name: 'Zeros', config: {} },
    ...(first ? { batch_input_shape: [null, SIDE * SIDE], dtype: 'float32' } : {}),
  },
})

const SLOW_UNITS = 512
const topologyOf = (slow: boolean) => ({
  class_name: 'Sequential',
  config: {
    name: 'toy',
    layers: [
      seeded(slow ? SLOW_UNITS : 16, 'relu', 1, true),
      ...(slow ? [seeded(SLOW_UNITS, 'relu', 3, false, 'Orthogonal')] : []),
      seeded(CLASSES, 'softmax', 2),
    ],
  },
})

export function toyDocument(options: ToyOptions) {
  const { epochs = 3, everySteps = 4, keep, validationRecords, learningRate, slowModel = false } = options

  const train: Train = {
    model: { kind: 'layers', topology: topologyOf(slowModel) },
    features: ['x'],
    label: 'label',
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    optimizer: { type: 'adam', learningRate: learningRate ?? 0.01 },
    epochs,
    checkpoint: { everySteps, ...(keep === undefined ? {} : { keep }) },
    ...options.train,
    ...(validationRecords ? { validation: { pipeline: chain('file:///toy/val-*.tfrecord') } } : {}),
  }
  return { name: 'toy', pipeline: chain('file:///toy/train-*.tfrecord'), train, seed: 7 }
}

/** Writes a job into Redis as the api would, counts of its one shard included. */
export async function createToyJob(
  jobs: JobStore,
  options: ToyOptions = {},
): Promise<{ id: string; feeds: ToyFeed[] }> {
  const checked = parseJob(toyDocument(options))
  const id = Array.from({ length: 26 }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[randomInt(36)]).join('')
  const feeds: ToyFeed[] = []
  const planOf = (feed: string, part: typeof checked.checked) =>
    makePlan({
      checked,
      chain: part,
      pins: [[{ uri: `file:///toy/${feed}.tfrecord`, size: 1, etag: 'e' }]],
      knobs: { cycleLengths: [1], windowBatches: 8, taskBatches: 1 },
      epochs: checked.epochs,
      bufferBytes: 1 << 20,
    })
  const plan = planOf(id, checked.checked)
  const job = { name: 'toy', spec: checked.job, specHash: checked.specHash }
  const childPlan = checked.validation && planOf(childId(id), checked.validation)
  await jobs.create({ id, ...job }, plan, { child: childPlan && { job, plan: childPlan } })
  const add = async (feed: string, part: typeof plan, records: number) => {
    await jobs.setCount(feed, 0, records)
    await jobs.setState(feed, 'running')
    feeds.push({ id: feed, plan: part, records, order: createOrder(part.order, [records]) })
  }
  await add(id, plan, options.trainRecords ?? 160)
  if (childPlan) await add(childId(id), childPlan, options.validationRecords ?? 48)
  return { id, feeds }
}

/** Record `index` of a feed: the class is the quarter of the picture that is bright. */
function toyRecord(feed: string, index: number): { x: Uint8Array; label: number } {
  let state = (index * 2654435761 + feed.length * 97 + 12345) >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  }
  const label = next() % CLASSES
  const x = Uint8Array.from({ length: SIDE * SIDE }, (_, at) => (at % CLASSES === label ? 160 : 40) + next() / 4)
  return { x, label }
}

/** The bytes a worker would make. */
export function toyBatch({ id, plan, order }: ToyFeed, epoch: number, batch: number): Uint8Array {
  const refs = order.batch(epoch, batch)
  const rows = refs.map(({ record }) => toyRecord(id, record))
  const x = new Uint8Array(rows.length * SIDE * SIDE)
  rows.forEach((row, at) => {
    x.set(row.x, at * SIDE * SIDE)
  })
  const label = Int32Array.from(rows, (row) => row.label)
  return encodeBatch(
    [
      { name: 'x', dtype: 'uint8', shape: [rows.length, SIDE * SIDE], data: x },
      { name: 'label', dtype: 'int32', shape: [rows.length], data: new Uint8Array(label.buffer) },
    ],
    {
      ...{ job: id, epoch, batch, records: rows.length, planHash: plan.planHash },
      deferred: JSON.stringify(plan.wire.deferred),
    },
  )
}
