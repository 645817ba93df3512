import type { CheckedPipeline } from '../check/index.js'
import { SpecInvalid } from '../error-table.js'
import { checkMonitors } from './check-monitors.js'
import { checkOptimizer } from './check-optimizer.js'
import { FORMATS_OF } from './model.js'
import { featureFields, outputsOf } from './outputs.js'
import type { Train } from './schema.js'

const invalidTrain = (path: string, text: string, remedy: string) =>
  SpecInvalid(path, text).with({ place: { path }, remedy })

/**
 * Checks what the schema of `train` cannot say: parts that exclude or need each other, and fields of the batches.
 * @throws StokerError (status 400) with `place.path` and a remedy.
 */
export function checkTrain(train: Train, checked: CheckedPipeline, validation: CheckedPipeline | undefined): void {
  checkModel(train)
  checkOutputs(train)
  checkOptimizer(train.optimizer)
  checkMonitors(train)
  checkFields(train, 'pipeline', checked)
  if (validation) checkFields(train, 'train.validation.pipeline', validation)
}

/** The parts of `train` that a SavedModel decides by itself. */
const IN_THE_GRAPH = ['optimizer', 'loss', 'metrics', 'classWeight'] as const

function checkModel(train: Train): void {
  const { model } = train
  if (model.kind === 'layers') {
    if (!model.topology && model.weights === undefined)
      throw invalidTrain(
        'train.model.topology',
        'is missing',
        'give the Keras model JSON, or weights that lie with one',
      )
    if (model.fresh && model.weights === undefined)
      throw invalidTrain(
        'train.model.fresh',
        'means nothing without weights',
        'give train.model.weights, or leave it out',
      )
  } else {
    for (const name of IN_THE_GRAPH) {
      if (train[name] === undefined) continue
      throw invalidTrain(`train.${name}`, 'a SavedModel carries its own', 'leave it out: it was chosen at export')
    }
    if (train.onNonFiniteLoss === 'skip') {
      throw invalidTrain('train.onNonFiniteLoss', 'a SavedModel has made its step when it tells the loss', 'use "fail"')
    }
  }
  const possible: readonly string[] = FORMATS_OF[model.kind]
  const [impossible] = (train.export ?? []).filter((format) => !possible.includes(format))
  if (impossible !== undefined) {
    throw invalidTrain(
      'train.export',
      `a model of kind ${model.kind} cannot be written as ${impossible}`,
      `formats: ${possible.join(', ')}`,
    )
  }
}

/** What belongs to an output, and stands in `train` itself only when the model has one. */
const OF_ONE_OUTPUT = ['label', 'loss', 'metrics', 'classWeight'] as const

function checkOutputs(train: Train): void {
  const odd = Object.keys(train.classWeight ?? {}).find((key) => !/^\d{1,9}$/.test(key))
  if (odd !== undefined)
    throw invalidTrain(`train.classWeight.${odd}`, 'is no class', 'classes are whole numbers from 0')
  if (train.outputs) {
    for (const name of OF_ONE_OUTPUT) {
      if (train[name] === undefined) continue
      const remedy = name === 'classWeight' ? 'give a sampleWeight field' : 'move it into the output it belongs to'
      throw invalidTrain(`train.${name}`, 'does not go with train.outputs', remedy)
    }
  }
  for (const { name, loss, metrics } of outputsOf(train)) {
    const path = name === undefined ? 'train' : `train.outputs.${name}`
    if (train.model.kind === 'savedModel') {
      if (name !== undefined && loss) throw invalidTrain(`${path}.loss`, 'a SavedModel carries its own', 'leave it out')
      continue
    }
    if (!loss) throw invalidTrain(`${path}.loss`, 'is missing', 'name a loss, such as "sparseCategoricalCrossentropy"')
    if (loss.labelSmoothing > 0 && !/^(categorical|binary)/.test(loss.type))
      throw invalidTrain(`${path}.loss.labelSmoothing`, `${loss.type} has none`, 'leave it out')
    const names = metrics.map((metric) => metric.name)
    const twice = names.find((one, index) => names.indexOf(one) < index)
    if (twice !== undefined) throw invalidTrain(`${path}.metrics`, `${twice} stands there twice`, 'name it once')
  }
}

function checkFields(train: Train, path: string, { recordSignature }: CheckedPipeline): void {
  const fields = Object.keys(recordSignature)
  const outputs = outputsOf(train)
  const labels = outputs.map(({ label }) => label)
  const weights = outputs.flatMap(({ sampleWeight }) => sampleWeight ?? [])
  const lacking = [...labels, ...weights, ...featureFields(train)].find((field) => !fields.includes(field))
  if (lacking !== undefined) {
    throw invalidTrain(
      `${path}.stages`,
      `the batches lack the field "${lacking}" that train names`,
      `fields at the end of the chain: ${fields.join(', ')}`,
    )
  }
  if (!fields.some((field) => !labels.includes(field) && !weights.includes(field)))
    throw invalidTrain(`${path}.stages`, 'the batches hold only the label', 'add a feature to parseExample')
  for (const field of weights) {
    const { dtype, shape } = recordSignature[field] ?? { dtype: 'string', shape: [] }
    if (dtype !== 'string' && shape.every((dim) => dim === 1)) continue
    throw invalidTrain('train.sampleWeight', `"${field}" is ${dtype}[${shape}]`, 'one number a record is wanted')
  }
}
