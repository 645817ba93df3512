import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { DTYPE_BYTES, DTYPES, type DType } from '../dtype.js'
import { TensorsLarge, TensorValues } from '../error-table.js'
import { StokerError } from '../errors.js'
import { FieldName } from '../knobs.js'
import { type Element, elementOf } from '../literal.js'
import type { Signature } from '../signature.js'

/** A spec is kept in Redis and read by every worker: what is larger belongs into a file. */
const MOST_BYTES = 1 << 20
const MOST_DIMENSIONS = 8

const Values = Type.Object(
  {
    dtype: Type.Enum([...DTYPES, 'string'] as const),
    values: Type.Array(Type.Unknown(), {
      description: 'arrays in arrays; int64 beyond 2^53 as decimal strings, floats also as "NaN" and "Infinity"',
    }),
  },
  { additionalProperties: false },
)
const Packed = Type.Object(
  {
    dtype: Type.Enum(DTYPES),
    shape: Type.Array(Type.Integer({ minimum: 0, maximum: MOST_BYTES }), { minItems: 1, maxItems: MOST_DIMENSIONS }),
    base64: Type.String({ maxLength: 2 * MOST_BYTES, description: 'little-endian, row-major' }),
  },
  { additionalProperties: false },
)
export type InlineTensor = Static<typeof Values> | Static<typeof Packed>

const params = Type.Object(
  {
    fields: Type.Record(FieldName, Type.Union([Values, Packed]), {
      minProperties: 1,
      description: 'a record is one row: the first dimension, the same for all fields; 1 MiB in all',
    }),
  },
  { additionalProperties: false },
)

/** `tf.data.Dataset.from_tensor_slices` of a dict: arrays that stand in the spec itself. */
export const tensors = declareSource({
  name: 'tensors',
  summary: 'Rows of arrays that stand in the spec, as tf.data.Dataset.from_tensor_slices of a dict.',
  readsShards: false,
  params,
  infer: (source) => {
    const signature: Record<string, Signature[string]> = {}
    for (const { name, dtype, shape } of inlineTensors(source).fields)
      signature[name] = { dtype, shape: shape.slice(1) }
    return signature
  },
})

export interface CheckedTensor {
  readonly name: string
  readonly dtype: DType | 'string'
  /** With the number of rows in front. */
  readonly shape: readonly number[]
  /** Row-major; bytes as they lie in memory where the spec gives them so. */
  readonly elements: readonly Element[] | { readonly bytes: Uint8Array }
}

/**
 * The arrays of a source, checked, and how many rows they have.
 * @throws StokerError when one is ragged, holds what is none of its type, or they differ in rows or are too large
 */
export function inlineTensors({ fields }: Static<typeof params>): { rows: number; fields: CheckedTensor[] } {
  let bytes = 0
  const checked = Object.entries(fields).map(([name, tensor]) => {
    const made = checkedTensor(name, tensor)
    bytes += bytesOf(made)
    if (bytes > MOST_BYTES) throw TensorsLarge(MOST_BYTES).with({ place: { field: name } })
    return made
  })
  const rows = checked[0]?.shape[0] ?? 0
  const other = checked.find(({ shape }) => shape[0] !== rows)
  if (other) throw wrong(other.name, `it has ${other.shape[0]} rows where "${checked[0]?.name}" has ${rows}`)
  return { rows, fields: checked }
}

function checkedTensor(name: string, tensor: InlineTensor): CheckedTensor {
  const { dtype } = tensor
  if ('base64' in tensor) return { name, dtype, shape: tensor.shape, elements: { bytes: unpacked(name, tensor) } }
  const shape = shapeOf(tensor.values)
  if (shape.length > MOST_DIMENSIONS) throw wrong(name, `it has more than ${MOST_DIMENSIONS} dimensions`)
  const elements: Element[] = []
  collect(name, dtype, shape, tensor.values, elements)
  return { name, dtype, shape, elements }
}

/** By the first item at each depth. */
function shapeOf(values: readonly unknown[]): number[] {
  const shape: number[] = []
  for (let item: unknown = values; Array.isArray(item) && shape.length <= MOST_DIMENSIONS; item = item[0])
    shape.push(item.length)
  return shape
}

function collect(
  name: string,
  dtype: DType | 'string',
  shape: readonly number[],
  value: unknown,
  elements: Element[],
): void {
  const [length, ...inner] = shape
  if (length === undefined) {
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean')
      throw wrong(name, Array.isArray(value) ? 'it is ragged' : `${JSON.stringify(value)} is no value`)
    try {
      elements.push(elementOf(dtype, value))
    } catch (error) {
      throw error instanceof StokerError ? error.with({ place: { field: name } }) : error
    }
    return
  }
  if (!Array.isArray(value) || value.length !== length) throw wrong(name, 'it is ragged: its rows differ in length')
  for (const item of value as unknown[]) collect(name, dtype, inner, item, elements)
}

function unpacked(name: string, { dtype, shape, base64 }: Static<typeof Packed>): Uint8Array {
  let text: string
  try {
    text = atob(base64)
  } catch {
    throw wrong(name, 'it is no base64')
  }
  const wanted = shape.reduce((product, dim) => product * dim, DTYPE_BYTES[dtype])
  if (text.length !== wanted)
    throw wrong(name, `${dtype}[${shape}] takes ${wanted} bytes, and there are ${text.length}`)
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
  if (dtype === 'bool' && bytes.some((byte) => byte > 1)) throw wrong(name, 'a bool is a byte of 0 or 1')
  return bytes
}

function bytesOf({ dtype, elements }: CheckedTensor): number {
  if ('bytes' in elements) return elements.bytes.length
  if (dtype !== 'string') return elements.length * DTYPE_BYTES[dtype]
  return elements.reduce<number>((sum, text) => sum + (text as Uint8Array).length + 8, 0)
}

const wrong = (name: string, why: string) => TensorValues(name, why).with({ place: { field: name } })
