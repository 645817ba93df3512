import type { Static } from 'typebox'
import { suggestion } from './did-you-mean.js'
import { UnknownOp } from './error-table.js'
import { OPS, type OpName } from './ops/index.js'
import type { UserOpName } from './ops/registry.js'
import type { Pipeline, Source, Stage } from './pipeline.js'
import type { CombinedParams } from './sources/combined.js'
import type { SOURCES } from './sources/index.js'
import type { InlineTensor } from './sources/tensors.js'

type OpMethods = {
  readonly [Name in OpName]: (...args: Parameters<(typeof OPS)[Name]['args']>) => PipelineBuilder
}

/** A chain under construction: one method an op, each returning a new chain. JSON.stringify gives the spec. */
export interface PipelineBuilder extends OpMethods {
  /** Runs an op of your own, which api and workers have loaded: `op('acme.blur', { field: 'image', radius: 2 })`. */
  op(name: UserOpName, params?: Readonly<Record<string, unknown>>): PipelineBuilder
  toJSON(): Pipeline
}

function build(source: Source, stages: readonly Stage[]): PipelineBuilder {
  const methods = Object.values(OPS).map((declaration) => {
    const args = declaration.args as (...values: readonly unknown[]) => object
    return [
      declaration.name,
      (...values: readonly unknown[]) =>
        build(source, [...stages, { op: declaration.name, ...args(...values) } as Stage]),
    ]
  })
  const op: PipelineBuilder['op'] = (name, params = {}) => build(source, [...stages, { ...params, op: name }])
  const chain = { ...Object.fromEntries(methods), op, toJSON: (): Pipeline => ({ source, stages }) }
  return new Proxy(chain, { get: methodOf }) as PipelineBuilder
}

/** Names that the language, printers and test tools ask any object for. */
const ASKED_OF_ALL = new Set([
  'then',
  'catch',
  'finally',
  'inspect',
  'asymmetricMatch',
  'nodeType',
  'tagName',
  'length',
])

/** @throws UnknownOp for a misspelt op, where JavaScript would say only that something is not a function. */
function methodOf(chain: object, name: string | symbol): unknown {
  const isOpLike = typeof name === 'string' && /^[a-z][A-Za-z0-9]*$/.test(name) && !ASKED_OF_ALL.has(name)
  if (isOpLike && !(name in chain)) {
    throw UnknownOp(name).with({ place: { op: name }, remedy: suggestion(name, Object.keys(OPS), 'ops') })
  }
  return Reflect.get(chain, name)
}

/**
 * Starts a chain that reads like tf.data and yields the JSON that the api takes.
 *
 * @example pipeline(tfrecord('s3://data/train-*.tfrecord')).parseExample({ label: fixedLen('int64') }).batch(32)
 */
export function pipeline(source: Source): PipelineBuilder {
  return build(source, [])
}

type Options<Name extends keyof typeof SOURCES, Taken extends string> = Omit<
  Static<(typeof SOURCES)[Name]['params']>,
  Taken
>

/** TFRecord shards: a pattern, or several. */
export function tfrecord(files: string | readonly string[], options: Options<'tfrecord', 'files'> = {}): Source {
  return { type: 'tfrecord', files: typeof files === 'string' ? files : [...files], ...options }
}

/** Whole numbers as tf.data.Dataset.range: `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. */
export function range(first: number, stop?: number, step?: number): Source {
  return stop === undefined
    ? { type: 'range', stop: first }
    : { type: 'range', start: first, stop, ...(step === undefined ? {} : { step }) }
}

/**
 * Rows of arrays as tf.data.Dataset.from_tensor_slices of a dict: arrays in arrays, or base64 with a shape.
 *
 * @example tensors({ x: { dtype: 'float32', values: [[0, 1], [2, 3]] }, label: { dtype: 'int64', values: [0, 1] } })
 */
export function tensors(fields: Readonly<Record<string, InlineTensor>>): Source {
  return { type: 'tensors', fields: { ...fields } }
}

/** A chain, a spec of one, or a source alone. */
type Input = PipelineBuilder | Pipeline | Source

function asPipelines(inputs: readonly Input[]): Pipeline[] {
  return inputs.map((input) => {
    if ('toJSON' in input && typeof input.toJSON === 'function') return input.toJSON()
    return 'source' in input ? input : { source: input as Source, stages: [] }
  })
}

/** One input after the other, as `a.concatenate(b)` of tf.data. */
export function concatenate(...inputs: readonly Input[]): Source {
  return { type: 'concatenate', inputs: asPipelines(inputs) }
}

/** Records of all inputs side by side, as tf.data.Dataset.zip: the fields of each, whose names must differ. */
export function zip(...inputs: readonly Input[]): Source {
  return { type: 'zip', inputs: asPipelines(inputs) }
}

/** Draws from the inputs by weight, as tf.data.Dataset.sample_from_datasets. */
export function sampleFrom(inputs: readonly Input[], options: CombinedParams<'sampleFrom'> = {}): Source {
  return { type: 'sampleFrom', inputs: asPipelines(inputs), ...options }
}
