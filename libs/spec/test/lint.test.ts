import { describe, expect, test } from 'vitest'
import { fixedLen, lint, type PipelineBuilder, parseJob, pipeline, RULES, range, tfrecord } from '../src/index.js'

const images = () =>
  pipeline(tfrecord('file:x'))
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodeJpeg('image', { channels: 3 })
const found = (chain: PipelineBuilder, job: object = {}, facts = {}) =>
  lint(parseJob(JSON.parse(JSON.stringify({ pipeline: chain, ...job }))), facts).map(
    ({ code, path }) => `${code.replace('STK_LINT_', '')} ${path}`,
  )

const model = { kind: 'savedModel', uri: 'file:m' }

const layers = {
  model: { kind: 'layers', topology: { class_name: 'Sequential', config: {} } },
  loss: 'sparseCategoricalCrossentropy',
}
/** Two epochs of 33 steps. */
const trained = (train: object) =>
  found(
    images().resize('image', [8, 8]).shuffle(99).batch(3).prefetch(),
    { train: { model, epochs: 2, ...train } },
    { records: 99 },
  )

const ROWS: [string, string[], string[]][] = [
  [
    'repeat before shuffle',
    found(pipeline(range(99)).repeat(2).shuffle(9).batch(3).prefetch()),
    ['REPEAT_BEFORE_SHUFFLE pipeline.stages[0]', 'REPEAT_BEFORE_BATCH pipeline.stages[0]'],
  ],
  [
    'repeat before batch',
    found(pipeline(range(99)).shuffle(9).repeat(2).batch(3).prefetch()),
    ['REPEAT_BEFORE_BATCH pipeline.stages[1]'],
  ],
  [
    'filter after a decode',
    found(images().filter('label', { lessThan: 5 }).resize('image', [8, 8]).batch(3).prefetch()),
    ['FILTER_AFTER_DECODE pipeline.stages[2]'],
  ],
  [
    'bad records without a bound',
    found(pipeline(range(99)).batch(3).prefetch(), { onBadRecord: 'substitute' }),
    ['BAD_RECORDS_UNCAPPED maxBadFraction'],
  ],
  [
    'bad records with one',
    found(pipeline(range(99)).batch(3).prefetch(), { onBadRecord: 'skip', maxBadFraction: 0.1 }),
    [],
  ],
  [
    'a bound of bad records that is never asked',
    found(pipeline(range(99)).batch(3).prefetch(), { maxBadFraction: 0.1 }),
    ['BAD_FRACTION_UNUSED maxBadFraction'],
  ],
  ['no prefetch', found(pipeline(range(99)).batch(3)), ['NO_PREFETCH pipeline.stages']],
  ['prefetch of one', found(pipeline(range(99)).batch(3).prefetch(1)), ['PREFETCH_ONE pipeline.stages[1].depth']],
  ['sequential reading', found(images().resize('image', [8, 8]).batch(3).prefetch()), []],
  [
    'a parallelism of one',
    found(
      pipeline(tfrecord('file:x'))
        .interleave({ parallelism: 1 })
        .parseExample({ label: fixedLen('int64') })
        .batch(3)
        .prefetch(),
    ),
    ['SEQUENTIAL_READ pipeline.stages[0].parallelism'],
  ],
  [
    'a shuffle below the batch',
    found(pipeline(range(99)).shuffle(2).batch(3).prefetch()),
    ['SHUFFLE_BELOW_BATCH pipeline.stages[0].bufferSize'],
  ],
  [
    'a shuffle small against the data',
    found(pipeline(range(9999)).shuffle(100).batch(3).prefetch(), {}, { records: 9999 }),
    ['SHUFFLE_SMALL pipeline.stages[0].bufferSize'],
  ],
  ['a shuffle large enough', found(pipeline(range(9999)).shuffle(1000).batch(3).prefetch(), {}, { records: 9999 }), []],
  [
    'shuffle after batch',
    found(pipeline(range(99)).batch(3).shuffle(9).prefetch()),
    ['SHUFFLE_AFTER_BATCH pipeline.stages[1]'],
  ],
  [
    'cast before resize',
    found(images().cast('image', 'float32').resize('image', [8, 8]).batch(3).prefetch()),
    ['CAST_BEFORE_RESIZE pipeline.stages[2]'],
  ],
  ['cast after resize', found(images().resize('image', [8, 8]).cast('image', 'float32').batch(3).prefetch()), []],
  [
    'floats on the wire',
    found(images().resize('image', [8, 8]).batch(3).prefetch(), { wire: 'float32' }),
    ['WIRE_FLOAT32 wire'],
  ],
  [
    'a buffer below one batch',
    found(pipeline(range(99)).batch(3).prefetch(), { bufferBytes: 10 }, { batchBytes: 24 }),
    ['BUFFER_SMALL bufferBytes'],
  ],
  [
    'any order with a seed',
    found(pipeline(range(99)).shuffle(9, { seed: 1 }).batch(3).prefetch(), { deterministic: false }),
    ['ANY_ORDER_WITH_SEED deterministic'],
  ],
  [
    'training without shuffle',
    found(images().resize('image', [8, 8]).batch(3).prefetch(), { train: { model } }),
    ['NOT_SHUFFLED pipeline.stages'],
  ],
  [
    'early stopping on the training loss',
    trained({ earlyStopping: { patience: 2 } }),
    ['STOPPING_ON_TRAINING train.earlyStopping.monitor'],
  ],
  [
    'early stopping without patience',
    trained({
      earlyStopping: {},
      validation: { pipeline: images().randomFlipLeftRight('image').resize('image', [8, 8]).batch(3).prefetch() },
    }),
    ['STOPPING_AT_ONCE train.earlyStopping.patience', 'VALIDATION_RANDOM train.validation.pipeline.stages[2]'],
  ],
  [
    'a warm-up as long as the training',
    trained({
      ...layers,
      optimizer: { type: 'sgd', learningRate: { type: 'constant', learningRate: 0.1, warmup: { steps: 70 } } },
    }),
    ['WARMUP_TO_THE_END train.optimizer.learningRate.warmup.steps'],
  ],
  [
    'a schedule that ends long before the training',
    trained({
      ...layers,
      optimizer: { type: 'sgd', learningRate: { type: 'cosine', learningRate: 0.1, decaySteps: 20 } },
    }),
    ['SCHEDULE_ENDS_EARLY train.optimizer.learningRate.decaySteps'],
  ],
  [
    'a schedule as long as the training',
    trained({
      ...layers,
      optimizer: {
        type: 'sgd',
        learningRate: { type: 'cosine', learningRate: 0.1, decaySteps: 60, warmup: { steps: 6 } },
      },
    }),
    [],
  ],
]

describe('tells', () => {
  test.each(ROWS)('%s', (_name, codes, wanted) => {
    expect(codes).toEqual(wanted)
  })
})

test('every rule is covered above', () => {
  const told = new Set(ROWS.flatMap(([, codes]) => codes.map((code) => `STK_LINT_${code.split(' ')[0]}`)))
  expect(RULES.map(({ code }) => code).filter((code) => !told.has(code))).toEqual([])
})
