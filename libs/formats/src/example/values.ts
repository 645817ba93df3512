import {
  checkLiterals,
  elementOf,
  type FeatureSpec,
  type FixedLenFeature,
  type FixedLenSequenceFeature,
  type VarLenFeature,
} from '@stoker/spec'
import { FeatureCount, FeatureMissing, FeatureStride } from '../error-table.js'
import { type Field, fieldOf } from '../tensor.js'
import { countOf, type Elements, emptyElements, isMissing, type ListType, NO_LIST, readList } from './elements.js'
import type { List } from './slots.js'

/** The field that a feature of a record becomes. `names` are those that the record has, for the error. */
export type ValueReader = (bytes: Uint8Array, list: List | undefined, names: () => readonly string[]) => Field

export const sizeOf = (shape: readonly number[]): number => shape.reduce((product, dim) => product * dim, 1)

/** @throws StokerError STK_SPEC_LITERAL here; STK_EXAMPLE_MISSING, _TYPE, _COUNT, _STRIDE from the reader. */
export function valueReader(name: string, feature: FeatureSpec): ValueReader {
  if (feature.kind === 'varLen') return varLenReader(name, feature)
  return feature.kind === 'fixedLenSequence' ? sequenceReader(name, feature) : fixedLenReader(name, feature)
}

function fixedLenReader(name: string, { dtype, shape = [], default: given }: FixedLenFeature): ValueReader {
  const literals = checkLiterals(name, dtype, shape, given)
  const fallback = literals && fieldOf(dtype, literals.shape, literals.elements)
  const size = sizeOf(shape)
  return (bytes, list = NO_LIST, names) => {
    if (isMissing(name, dtype, list)) {
      if (fallback) return fallback
      throw FeatureMissing(name, dtype, names().join(', ') || 'none').with({ place: { field: name } })
    }
    const elements = emptyElements(dtype, size)
    const count = readList(bytes, list, elements, 0, size)
    if (count !== size) throw FeatureCount(name, count, shape.join(', '), size).with({ place: { field: name } })
    return toField(dtype, shape, elements)
  }
}

function varLenReader(name: string, feature: VarLenFeature): ValueReader {
  const { dtype, length } = feature
  const pad = padFiller(feature)
  return (bytes, list = NO_LIST) => {
    const count = isMissing(name, dtype, list) ? 0 : countOf(bytes, dtype, list)
    const size = length ?? count
    const elements = emptyElements(dtype, size)
    readList(bytes, list, elements, 0, size)
    pad(elements, count, size)
    return toField(dtype, [size], elements)
  }
}

function sequenceReader(name: string, { dtype, shape = [] }: FixedLenSequenceFeature): ValueReader {
  const stride = sizeOf(shape)
  return (bytes, list = NO_LIST) => {
    const count = isMissing(name, dtype, list) ? 0 : countOf(bytes, dtype, list)
    if (count % stride !== 0) {
      throw FeatureStride(name, count, stride, shape.join(', ')).with({ place: { field: name } })
    }
    const elements = emptyElements(dtype, count)
    readList(bytes, list, elements, 0, count)
    return toField(dtype, [count / stride, ...shape], elements)
  }
}

/** Fills elements [from, to) with the feature's pad. */
export function padFiller({ dtype, pad = dtype === 'string' ? '' : 0 }: VarLenFeature) {
  const value = elementOf(dtype, pad)
  return (elements: Elements, from: number, to: number): void => {
    if (from < to) (elements as { fill(value: unknown, from: number, to: number): unknown }).fill(value, from, to)
  }
}

export function toField(dtype: ListType, shape: readonly number[], elements: Elements): Field {
  if (Array.isArray(elements)) return fieldOf('string', shape, elements)
  return dtype === 'float32' ? { dtype, shape, data: elements } : { dtype: 'int64', shape, data: elements }
}
