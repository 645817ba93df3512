import { createHash } from 'node:crypto'
import { type CheckedTensor, inlineTensors, type Source } from '@stoker/spec'
import { NoSuchRecord } from './error-table.js'
import { ARRAYS, type Field, fieldOf } from './tensor.js'
import type { Format, RecordFields, StringTensor, Tensor } from './types.js'

export type TensorsSource = Extract<Source, { type: 'tensors' }>

interface Whole {
  readonly rows: number
  readonly fields: readonly (readonly [name: string, whole: Tensor | StringTensor])[]
}
const made = new WeakMap<TensorsSource, Whole>()

/** Rows of arrays in the spec, as `tf.data.Dataset.from_tensor_slices` of a dict. Values are views: not to be written to. */
export const tensors: Format<TensorsSource> = {
  async pin({ fields }) {
    const text = JSON.stringify(fields)
    return [{ uri: 'tensors:', size: text.length, etag: createHash('sha256').update(text).digest('hex') }]
  },
  countNow: (source) => wholeOf(source).rows,

  async index(pin, source) {
    return {
      count: wholeOf(source).rows,
      dataUri: pin.uri,
      dataEtag: pin.etag,
      dataBytes: 0,
      offsets: new Float64Array(0),
      lengths: new Uint32Array(0),
    }
  },

  async read(pin, _index, source, records) {
    const { rows, fields } = wholeOf(source)
    return records.map((record): RecordFields => {
      if (record < 0 || record >= rows) {
        throw NoSuchRecord(pin.uri, record, rows).with({ place: { shard: pin.uri, record } })
      }
      return Object.fromEntries(fields.map(([name, whole]) => [name, rowOf(whole, record)]))
    })
  },
}

function wholeOf(source: TensorsSource): Whole {
  const known = made.get(source)
  if (known) return known
  const { rows, fields } = inlineTensors(source)
  const whole = { rows, fields: fields.map((field) => [field.name, tensorOf(field)] as const) }
  made.set(source, whole)
  return whole
}

function tensorOf({ dtype, shape, elements }: CheckedTensor): Tensor | StringTensor {
  if (dtype === 'string') return { dtype, shape, data: elements as readonly Uint8Array[] }
  // The shape has a dimension at least, so the field is no single byte string.
  if (!('bytes' in elements)) return fieldOf(dtype, shape, elements) as Tensor
  const { buffer } = elements.bytes
  return { dtype, shape, data: new ARRAYS[dtype](buffer as ArrayBuffer) }
}

function rowOf(whole: Tensor | StringTensor, row: number): Field {
  const shape = whole.shape.slice(1)
  const size = shape.reduce((product, dim) => product * dim, 1)
  if (whole.dtype === 'string') return fieldOf('string', shape, whole.data.slice(row * size, (row + 1) * size))
  return { dtype: whole.dtype, shape, data: whole.data.subarray(row * size, (row + 1) * size) }
}
