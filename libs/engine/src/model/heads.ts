import type { DType, LossSpec, OutputSpec, Signature } from '@stoker/spec'
import { ModelInput } from '../error-table.js'
import type { Deferred } from '../types.js'
import { finalDtype, type Roles } from './roles.js'

/** One output of a layers model that has a loss. */
export interface Head {
  /** Among the model's outputs. */
  readonly index: number
  /** Put before the names of its numbers; empty for a single output. */
  readonly prefix: string
  readonly spec: OutputSpec & { readonly loss: LossSpec }
  /** The model's tensor comes before softmax or sigmoid: it was moved into the loss. */
  readonly isMoved: boolean
  /** Labels are class numbers. */
  readonly isSparse: boolean
  readonly labelDtype: 'int32' | 'float32'
}

export interface ModelOutput {
  readonly name: string
  /** With the batch dimension; null where open. */
  readonly shape: readonly (number | null)[]
}

/**
 * Pairs the model's outputs with what the job compares them with.
 *
 * @throws ModelInput where names, shapes or types do not fit
 */
export function headsOf(
  roles: Roles,
  outputs: readonly ModelOutput[],
  moved: ReadonlySet<number>,
  fields: Signature,
  deferred: Deferred,
): Head[] {
  const names = outputs.map(({ name }) => name).join(', ')
  return roles.outputs.map((spec) => {
    const { name, label, loss } = spec
    if (name === undefined && outputs.length !== 1) {
      throw ModelInput(`the model has ${outputs.length} outputs (${names})`).with({
        remedy: 'give each its label and loss: "outputs": {"<output>": {"label": "<field>", "loss": "<loss>"}}',
      })
    }
    const index = name === undefined ? 0 : outputs.findIndex((output) => output.name === name)
    const output = outputs[index]
    if (!output) throw ModelInput(`the model has no output "${name}", only ${names}`)
    if (!loss) throw ModelInput(`output "${output.name}" has no loss`)
    const field = fields[label] as { dtype: DType; shape: readonly (number | null)[] }
    const isSparse = checkLabel(output, { ...spec, loss }, field.shape)
    const final = finalDtype(label, field.dtype, deferred)
    const isWhole = final !== 'float32' && final !== 'float64'
    return {
      ...{ index, spec: { ...spec, loss }, isSparse },
      prefix: roles.outputs.length > 1 ? `${output.name}.` : '',
      isMoved: moved.has(index),
      labelDtype: loss.type === 'sparseCategoricalCrossentropy' && isWhole ? 'int32' : 'float32',
    }
  })
}

/** Whether labels are class numbers, by the shapes, as Keras tells. @throws ModelInput */
function checkLabel(
  { name, shape }: ModelOutput,
  { label, loss, metrics }: Head['spec'],
  given: readonly (number | null)[],
): boolean {
  const record = shape.slice(1)
  const width = record.at(-1) ?? null
  const rows = record.slice(0, -1)
  const isRowEach = fits(rows, given) || fits([...rows, 1], given)
  const isWhole = fits(record, given) || (width === 1 && isRowEach)
  const isSparseLoss = loss.type === 'sparseCategoricalCrossentropy'
  if (isSparseLoss ? !isRowEach : !isWhole) {
    const wanted = isSparseLoss ? `one class number for each of [${rows}]` : `[${record}]`
    throw ModelInput(`output "${name}" is [${record}], so ${loss.type} takes ${wanted}; "${label}" is [${given}]`).with(
      {
        place: { field: label },
        remedy: isSparseLoss
          ? 'give class numbers, or use categoricalCrossentropy'
          : 'use oneHot on the label, or a sparse loss',
      },
    )
  }
  const needsWhole = metrics.find(({ type }) => type === 'auc' || type === 'mae' || type === 'mse')
  if (needsWhole && !isWhole) {
    throw ModelInput(`${needsWhole.name} compares each value of output "${name}" [${record}] with a label`).with({
      place: { field: label },
      remedy: `use oneHot on "${label}", or leave ${needsWhole.name} out`,
    })
  }
  return isSparseLoss
}

const fits = (wanted: readonly (number | null)[], given: readonly (number | null)[]): boolean =>
  wanted.length === given.length && wanted.every((dim, at) => dim === null || given[at] === null || dim === given[at])
