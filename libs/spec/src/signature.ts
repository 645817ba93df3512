import type { DType } from './dtype.js'

/** What a field holds at some point of the chain; `null` is a dimension known only at run time. */
export interface FieldSpec {
  /** `string` is a byte string, as in TensorFlow. */
  readonly dtype: DType | 'string'
  readonly shape: readonly (number | null)[]
}

/** The fields of a record (or, after `batch`, of a batch) at some point of the chain. */
export type Signature = Readonly<Record<string, FieldSpec>>

/** Field that a source of raw records fills: one byte string a record. */
export const RECORD_FIELD = 'record'

export const describeField = (field: FieldSpec): string =>
  `${field.dtype}[${field.shape.map((dim) => dim ?? '?').join(',')}]`
