import { describe, expect, test } from 'vitest'
import {
  fixedLen,
  optimizerOf,
  outputsOf,
  parseJob,
  pipeline,
  resultNames,
  type StokerError,
  type Train,
  tfrecord,
} from '../src/index.js'

const topology = { class_name: 'Sequential', config: {} }
const model = { kind: 'layers', topology }
const chain = () =>
  pipeline(tfrecord('file:x'))
    .parseExample({
      x: fixedLen('float32', [4]),
      label: fixedLen('int64'),
      weight: fixedLen('float32'),
      wide: fixedLen('float32', [2]),
    })
    .batch(3)
const document = (train: object) =>
  JSON.parse(JSON.stringify({ pipeline: chain(), train: { model, loss: 'sparseCategoricalCrossentropy', ...train } }))
const parsed = (train: object): Train => parseJob(document(train)).job.train as Train

function refusal(train: object): StokerError {
  try {
    parseJob(document(train))
  } catch (error) {
    return error as StokerError
  }
  throw new Error('it was taken')
}

const saved = { model: { kind: 'savedModel', uri: 'file:m' }, loss: undefined }
const sgd = (more: object) => ({ optimizer: { type: 'sgd', ...more } })
const rate = (learningRate: object) => sgd({ learningRate })
const WRONG: [string, object, string, RegExp][] = [
  ['a kind of model', { model: { kind: 'layer' } }, 'train.model.kind', /"layers", "savedModel"/],
  ['a misspelled property of a model', { model: { ...model, freze: [] } }, 'train.model.freze', /"freeze"/],
  ['no topology', { model: { kind: 'layers' } }, 'train.model.topology', /weights/],
  ['fresh layers without weights', { model: { ...model, fresh: ['a'] } }, 'train.model.fresh', /weights/],
  ['no loss', { loss: undefined }, 'train.loss', /name a loss/],
  ['a loss of a SavedModel', { ...saved, loss: 'mse' }, 'train.loss', /at export/],
  ['an optimizer of a SavedModel', { ...saved, ...sgd({}) }, 'train.optimizer', /at export/],
  ['skipping with a SavedModel', { ...saved, onNonFiniteLoss: 'skip' }, 'train.onNonFiniteLoss', /"fail"/],
  ['a form of model', { export: ['savedModel'] }, 'train.export', /tfjs, keras/],
  [
    'label and outputs',
    { label: 'label', loss: undefined, outputs: { a: { label: 'label', loss: 'mse' } } },
    'train.label',
    /move it/,
  ],
  [
    'an output without loss',
    { loss: undefined, outputs: { a: { label: 'label' } } },
    'train.outputs.a.loss',
    /name a loss/,
  ],
  ['smoothing of a sparse loss', { loss: { type: 'mse', labelSmoothing: 0.1 } }, 'train.loss.labelSmoothing', /leave/],
  ['a metric twice', { metrics: ['auc', 'auc'] }, 'train.metrics', /once/],
  ['a parameter of another optimizer', sgd({ beta1: 0.9 }), 'train.optimizer.beta1', /momentum, nesterov/],
  ['two ways of clipping', sgd({ clipNorm: 1, clipValue: 1 }), 'train.optimizer.clipNorm', /keep one/],
  ['a schedule', rate({ type: 'cosin' }), 'train.optimizer.learningRate.type', /"cosine"/],
  [
    'a schedule without its steps',
    rate({ type: 'cosine', learningRate: 1 }),
    'train.optimizer.learningRate.decaySteps',
    /needs/,
  ],
  [
    'a parameter of another schedule',
    rate({ type: 'constant', learningRate: 1, decayRate: 2 }),
    'train.optimizer.learningRate.decayRate',
    /known here: learningRate/,
  ],
  [
    'rates that do not fit the boundaries',
    rate({ type: 'piecewise', boundaries: [2, 3], values: [1, 2] }),
    'train.optimizer.learningRate.values',
    /part 3 rates/,
  ],
  [
    'boundaries that do not rise',
    rate({ type: 'piecewise', boundaries: [3, 2], values: [1, 2, 3] }),
    'train.optimizer.learningRate.boundaries',
    /sort/,
  ],
  [
    'a monitor that is not told',
    { earlyStopping: { monitor: 'auc' } },
    'train.earlyStopping.monitor',
    /told are: loss, accuracy/,
  ],
  [
    'a monitor of held-out data',
    { earlyStopping: { monitor: 'valLoss' } },
    'train.earlyStopping.monitor',
    /train.validation/,
  ],
  [
    'two best epochs',
    { earlyStopping: { restoreBest: true }, checkpoint: { best: { monitor: 'accuracy' } } },
    'train.checkpoint.best',
    /leave one/,
  ],
  ['a class that is none', { classWeight: { cat: 2 } }, 'train.classWeight.cat', /./],
  ['weights that are not a field', { sampleWeight: 'w' }, 'pipeline.stages', /x, label, weight/],
  ['weights that are several a record', { sampleWeight: 'wide' }, 'train.sampleWeight', /one number/],
  ['features that are no fields', { features: { in: 'y' } }, 'pipeline.stages', /x, label, weight/],
]

describe('refuses with path and remedy', () => {
  test.each(WRONG)('%s', (_name, train, path, remedy) => {
    const error = refusal(train)
    expect([error.code, error.place?.path, error.status]).toEqual(['STK_SPEC_INVALID', path, 400])
    expect(error.remedy ?? '').toMatch(remedy)
  })
})

test('takes what Keras users write', () => {
  const train = parsed({
    features: ['x'],
    sampleWeight: 'weight',
    classWeight: { 0: 1, 1: 2.5 },
    optimizer: { type: 'adamw', learningRate: { type: 'cosine', learningRate: 0.1, decaySteps: 9 }, globalClipNorm: 1 },
    metrics: ['accuracy', { type: 'topKAccuracy', k: 3 }],
    earlyStopping: { monitor: 'valTop3Accuracy', patience: 2 },
    validation: { pipeline: chain() },
    export: ['tfjs', 'keras'],
  })
  expect(train.earlyStopping).toMatchObject({ patience: 2, minDelta: 0, restoreBest: false })
  expect(resultNames(train)).toEqual(['accuracy', 'top3Accuracy'])
  expect(outputsOf(train)[0]).toMatchObject({ label: 'label', sampleWeight: 'weight', lossWeight: 1 })
})

test('tells each of several outputs by its name', () => {
  const outputs = {
    a: { label: 'label', loss: 'mse', metrics: ['mae'] },
    b: { label: 'label', loss: { type: 'binaryCrossentropy' } },
  }
  const train = parsed({ loss: undefined, outputs, earlyStopping: { monitor: 'b.loss' } })
  expect(resultNames(train)).toEqual(['a.loss', 'a.mae', 'b.loss', 'b.accuracy'])
})

test('has the defaults of Keras for every optimizer', () => {
  expect(optimizerOf()).toMatchObject({
    type: 'adam',
    beta2: 0.999,
    learningRate: { type: 'constant', learningRate: 0.001 },
  })
  expect(optimizerOf({ type: 'adamw' })).toMatchObject({ type: 'adam', weightDecay: 0.004 })
  expect(optimizerOf({ type: 'momentum' })).toMatchObject({ type: 'sgd', momentum: 0.9, nesterov: false })
  expect(optimizerOf({ type: 'sgd' })).toMatchObject({ momentum: 0, weightDecay: 0, clip: undefined })
  expect(optimizerOf({ type: 'rmsprop', clipValue: 2 })).toMatchObject({ rho: 0.9, clip: { by: 'value', bound: 2 } })
})
