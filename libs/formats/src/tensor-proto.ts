import type { DType, StokerError } from '@stoker/spec'
import { TensorMalformed } from './error-table.js'
import { DELIMITED, FIXED32, FIXED64, VARINT, WireReader } from './example/wire.js'
import { ARRAYS, type Field, fieldOf } from './tensor.js'
import type { TypedArray } from './types.js'

/**
 * TensorProto = dtype:1 tensor_shape:2 (dim:2 (size:1)* unknown_rank:3) tensor_content:4 float_val:5 double_val:6
 *               int_val:7 string_val:8 int64_val:10 bool_val:11
 * Values stand in `tensor_content`, little-endian, or in the list of their type; a list that is too short goes on with
 * its last value, of one that is too long the first count.
 * Source: tensorflow/core/framework/tensor.proto, types.proto, tensor.cc (`FromProtoField`)
 */
const TYPES: Readonly<Record<number, { readonly dtype: DType | 'string'; readonly list: number }>> = {
  1: { dtype: 'float32', list: 5 },
  2: { dtype: 'float64', list: 6 },
  3: { dtype: 'int32', list: 7 },
  4: { dtype: 'uint8', list: 7 },
  5: { dtype: 'int16', list: 7 },
  6: { dtype: 'int8', list: 7 },
  7: { dtype: 'string', list: 8 },
  9: { dtype: 'int64', list: 10 },
  10: { dtype: 'bool', list: 11 },
  17: { dtype: 'uint16', list: 7 },
}
/** A list may stand for many more elements than it has values: memory is bounded before it is asked for. */
const MAX_BYTES = 2 ** 28

type Value = number | bigint | Uint8Array

interface Proto {
  type: number
  dims: number[]
  content: Uint8Array | undefined
  /** Parts of each list, by field number: [start, end) and whether it is packed. */
  readonly lists: Map<number, { start: number; end: number; wire: number }[]>
}

/**
 * The tensor of a serialized TensorProto, as `tf.io.parse_tensor`.
 * @param shape `null` is any length
 * @throws StokerError STK_TENSOR_MALFORMED when the bytes are none, or of another type or shape.
 */
export function parseTensorProto(bytes: Uint8Array, dtype: DType | 'string', shape: readonly (number | null)[]): Field {
  const proto = readProto(bytes)
  const type = TYPES[proto.type]
  if (type?.dtype !== dtype) throw TensorMalformed(`it is of type ${type?.dtype ?? proto.type}, asked is ${dtype}`)
  const { dims } = proto
  const isAsked = dims.length === shape.length && shape.every((dim, at) => dim === null || dim === dims[at])
  if (!isAsked) throw TensorMalformed(`its shape is [${dims}], asked is [${shape.map((dim) => dim ?? '?')}]`)
  const size = dims.reduce((product, dim) => product * dim, 1)
  const elementBytes = dtype === 'string' ? 16 : ARRAYS[dtype].BYTES_PER_ELEMENT
  if (!(size * elementBytes <= MAX_BYTES))
    throw TensorMalformed(`its ${size} elements are more than ${MAX_BYTES} bytes`)
  if (proto.content && dtype !== 'string') return ofContent(proto.content, dtype, dims, size)
  const values = (proto.lists.get(type.list) ?? []).flatMap((part) => valuesOf(bytes, part, type)).slice(0, size)
  if (dtype === 'string') {
    const last = (values.at(-1) as Uint8Array | undefined) ?? new Uint8Array(0)
    return fieldOf(dtype, dims, [...values, ...new Array<Uint8Array>(size - values.length).fill(last)])
  }
  const data = fieldOf(dtype, [values.length], values).data as TypedArray
  return { dtype, shape: dims, data: filled(data, new ARRAYS[dtype](size)) }
}

function filled(values: TypedArray, out: TypedArray): TypedArray {
  if (out instanceof BigInt64Array) {
    out.set(values as BigInt64Array)
    return out.fill(out[values.length - 1] ?? 0n, values.length)
  }
  out.set(values as Exclude<TypedArray, BigInt64Array>)
  return out.fill(out[values.length - 1] ?? 0, values.length)
}

function ofContent(content: Uint8Array, dtype: DType, dims: readonly number[], size: number): Field {
  const bytes = size * ARRAYS[dtype].BYTES_PER_ELEMENT
  if (content.length !== bytes) throw TensorMalformed(`it holds ${content.length} bytes for ${size} elements`)
  const data = new ARRAYS[dtype](size)
  new Uint8Array(data.buffer).set(content)
  return { dtype, shape: dims, data }
}

function readProto(bytes: Uint8Array): Proto {
  const proto: Proto = { type: 0, dims: [], content: undefined, lists: new Map() }
  const reader = new TensorReader(bytes, 0, bytes.length)
  while (reader.more) {
    const tag = reader.tag()
    const field = tag >>> 3
    const wire = tag & 7
    const start = reader.at
    if (field === 1 && wire === VARINT) proto.type = uint(reader)
    else if (wire === DELIMITED) {
      const end = reader.delimited()
      if (field === 2) proto.dims.push(...dimsIn(bytes, reader.at, end))
      else if (field === 4) proto.content = end > reader.at ? bytes.subarray(reader.at, end) : undefined
      else addPart(proto, field, reader.at, end, wire)
      reader.at = end
    } else {
      reader.skip(tag)
      addPart(proto, field, start, reader.at, wire)
    }
  }
  return proto
}

function addPart(proto: Proto, field: number, start: number, end: number, wire: number): void {
  const parts = proto.lists.get(field)
  if (parts) parts.push({ start, end, wire })
  else proto.lists.set(field, [{ start, end, wire }])
}

function dimsIn(bytes: Uint8Array, start: number, end: number): number[] {
  const dims: number[] = []
  const reader = new TensorReader(bytes, start, end)
  while (reader.more) {
    const tag = reader.tag()
    if (tag === ((3 << 3) | VARINT)) {
      if (uint(reader) !== 0) throw TensorMalformed('its rank is not known')
    } else if (tag === ((2 << 3) | DELIMITED)) {
      const dimEnd = reader.delimited()
      const dim = new TensorReader(bytes, reader.at, dimEnd)
      let size = 0
      while (dim.more) {
        const inner = dim.tag()
        if (inner === ((1 << 3) | VARINT)) size = uint(dim)
        else dim.skip(inner)
      }
      dims.push(size)
      reader.at = dimEnd
    } else reader.skip(tag)
  }
  return dims
}

/** Values of one part of a list: packed, or a single one. */
function valuesOf(
  bytes: Uint8Array,
  { start, end, wire }: { start: number; end: number; wire: number },
  { dtype, list }: { readonly dtype: DType | 'string'; readonly list: number },
): Value[] {
  if (dtype === 'string') return [bytes.subarray(start, end)]
  const width = list === 5 ? 4 : list === 6 ? 8 : 0
  const isRight = wire === DELIMITED || wire === (width === 4 ? FIXED32 : width === 8 ? FIXED64 : VARINT)
  if (!isRight || (width > 0 && (end - start) % width !== 0)) throw TensorMalformed('a list of values is damaged')
  const values: Value[] = []
  if (width > 0) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start)
    for (let at = 0; at < view.byteLength; at += width) {
      values.push(width === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true))
    }
    return values
  }
  const reader = new TensorReader(bytes, start, end)
  while (reader.more) {
    reader.varint64()
    const whole = BigInt.asIntN(64, (BigInt(reader.high >>> 0) << 32n) | BigInt(reader.low >>> 0))
    values.push(dtype === 'int64' ? whole : dtype === 'bool' ? Number(whole !== 0n) : Number(whole))
  }
  return values
}

class TensorReader extends WireReader {
  override malformed(reason: string, at = this.at): StokerError {
    return TensorMalformed(`byte ${at}: ${reason}`)
  }
}

function uint(reader: WireReader): number {
  reader.varint64()
  if (reader.high < 0) throw TensorMalformed('a negative size')
  return reader.high * 2 ** 32 + (reader.low >>> 0)
}
