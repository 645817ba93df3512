import { crc32c } from '@node-rs/crc32'
import { DTYPE_BYTES, type DType } from '@stoker/spec'
import { BatchCorrupt, BatchHeaderInvalid, BatchLayoutInvalid, BatchTruncated } from './error-table.js'

/*
 * A batch is one safetensors file (https://github.com/huggingface/safetensors#format):
 *
 *   batch   = headerBytes:u64le header payload
 *   header  = JSON {"__metadata__": {name: string}, tensor name: {"dtype", "shape", "data_offsets": [begin, end]}},
 *             then spaces so that the payload starts at a multiple of 8
 *   payload = tensor*          little-endian, row-major, no gaps (the format allows none)
 *
 * Tensors with wide elements come first, so that each one starts at a multiple of its element's size; among equals the
 * order is by name. So equal tensors and metadata give equal bytes. The CRC32C of the payload stands in the metadata as
 * eight hex digits: its place is known before its value, and the payload is written once, in place.
 */

/** One tensor of a batch; `data` holds its little-endian, row-major bytes. */
export interface NamedTensor {
  readonly name: string
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

/** What a batch says of itself. */
export interface BatchMetadata {
  readonly job: string
  readonly epoch: number
  readonly batch: number
  /** Rows of this batch; the last one of an epoch may have fewer. */
  readonly records: number
  readonly planHash: string
  /** Of the payload, eight hex digits. */
  readonly crc32c: string
  /** JSON: what the consumer still has to do to each field (cast, scale). */
  readonly deferred?: string
}
export type NewBatchMetadata = Omit<BatchMetadata, 'crc32c'>

export interface DecodedBatch {
  /** In name order; their data are views into the bytes given to `decodeBatch`. */
  readonly tensors: readonly NamedTensor[]
  readonly metadata: BatchMetadata
}

export interface BatchFieldLayout {
  readonly name: string
  readonly dtype: DType
  /** With the batch dimension. */
  readonly shape: readonly number[]
}

export interface AllocatedBatch {
  /** The whole batch; valid after `finish`. */
  readonly bytes: Uint8Array
  /** The place of one tensor's bytes, zeros at first. */
  view(name: string): Uint8Array
  /** Writes the CRC; call it once all tensors are written. Returns `bytes`. */
  finish(): Uint8Array
}

const NAMES = {
  uint8: 'U8',
  int8: 'I8',
  uint16: 'U16',
  int16: 'I16',
  int32: 'I32',
  int64: 'I64',
  float32: 'F32',
  float64: 'F64',
  bool: 'BOOL',
} as const satisfies Record<DType, string>
const DTYPE_OF: ReadonlyMap<unknown, DType> = new Map(
  Object.entries(NAMES).map(([dtype, name]) => [name, dtype as DType]),
)

const LENGTH_BYTES = 8
const ALIGNMENT = 8
const METADATA = '__metadata__'
const CRC_UNKNOWN = '????????'
/** A header this long is damage, not a batch. */
const MOST_HEADER_BYTES = 16 * 1024 * 1024

/** Order of names: by UTF-16 code units, the same on every machine. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0

/**
 * Makes room for a batch, so that rows can be written to where they stay.
 *
 * @param into memory to use, for instance a slot of a ring; new memory where not given or too small
 * @throws BatchLayoutInvalid
 */
export function allocateBatch(layout: {
  readonly fields: readonly BatchFieldLayout[]
  readonly metadata: NewBatchMetadata
  readonly into?: Uint8Array
}): AllocatedBatch {
  const places = new Map<string, { begin: number; end: number }>()
  const header: Record<string, unknown> = { [METADATA]: metadataTexts(layout.metadata) }
  let payloadBytes = 0
  const sorted = [...layout.fields].sort((a, b) => DTYPE_BYTES[b.dtype] - DTYPE_BYTES[a.dtype] || byName(a, b))
  for (const { name, dtype, shape } of sorted) {
    if (name === METADATA || places.has(name)) throw BatchLayoutInvalid(name, 'its name is taken')
    const bytes = tensorBytes(dtype, shape)
    if (bytes === undefined) throw BatchLayoutInvalid(name, `shape [${shape.join(',')}] is not possible`)
    places.set(name, { begin: payloadBytes, end: payloadBytes + bytes })
    header[name] = { dtype: NAMES[dtype], shape, data_offsets: [payloadBytes, payloadBytes + bytes] }
    payloadBytes += bytes
  }
  const text = Buffer.from(JSON.stringify(header))
  const payloadAt = Math.ceil((LENGTH_BYTES + text.length) / ALIGNMENT) * ALIGNMENT
  const total = payloadAt + payloadBytes
  const bytes = layout.into && layout.into.length >= total ? layout.into.subarray(0, total) : new Uint8Array(total)
  const all = asBuffer(bytes)
  all.writeBigUInt64LE(BigInt(payloadAt - LENGTH_BYTES), 0)
  all.fill(' ', LENGTH_BYTES, payloadAt)
  text.copy(all, LENGTH_BYTES)
  if (layout.into) all.fill(0, payloadAt)
  const crcMark = '"crc32c":"'
  const crcAt = LENGTH_BYTES + text.indexOf(crcMark + CRC_UNKNOWN) + crcMark.length

  return {
    bytes,
    view: (name) => {
      const place = places.get(name)
      if (!place) throw BatchLayoutInvalid(name, 'the batch has no such tensor')
      return bytes.subarray(payloadAt + place.begin, payloadAt + place.end)
    },
    finish: () => {
      all.write(crcText(bytes.subarray(payloadAt)), crcAt, 'latin1')
      return bytes
    },
  }
}

/** A batch of the given tensors. @throws BatchLayoutInvalid */
export function encodeBatch(tensors: readonly NamedTensor[], metadata: NewBatchMetadata): Uint8Array {
  const batch = allocateBatch({ fields: tensors, metadata })
  for (const { name, data } of tensors) {
    const view = batch.view(name)
    if (data.length !== view.length) {
      throw BatchLayoutInvalid(name, `it has ${data.length} bytes, its shape says ${view.length}`)
    }
    view.set(data)
  }
  return batch.finish()
}

/**
 * Reads a batch without copying; checks lengths, bounds and CRC before anything is handed out.
 *
 * @param options.verify false leaves out the CRC, for bytes that were checked already
 * @throws BatchTruncated, BatchHeaderInvalid, BatchCorrupt
 */
export function decodeBatch(bytes: Uint8Array, options: { readonly verify?: boolean } = {}): DecodedBatch {
  if (bytes.length < LENGTH_BYTES) throw BatchTruncated(bytes.length, LENGTH_BYTES)
  const all = asBuffer(bytes)
  const headerBytes = all.readBigUInt64LE(0)
  if (headerBytes > MOST_HEADER_BYTES) throw BatchHeaderInvalid(`it claims to have ${headerBytes} bytes`)
  const payloadAt = LENGTH_BYTES + Number(headerBytes)
  if (bytes.length < payloadAt) throw BatchTruncated(bytes.length, payloadAt)
  const { [METADATA]: texts, ...rows } = parseHeader(all.toString('utf8', LENGTH_BYTES, payloadAt))
  const metadata = parseMetadata(texts)
  const { epoch, batch } = metadata
  const payload = bytes.subarray(payloadAt)

  const tensors = Object.entries(rows).map(([name, row]) => parseRow(name, row, payload))
  // Offsets in the payload must follow each other without gap or overlap, up to its end.
  let end = 0
  for (const { data, name } of [...tensors].sort(
    (a, b) => a.data.byteOffset - b.data.byteOffset || a.data.length - b.data.length,
  )) {
    if (data.byteOffset !== payload.byteOffset + end) throw BatchHeaderInvalid(`"${name}" overlaps or leaves a gap`)
    end += data.length
  }
  if (payload.length !== end) throw BatchTruncated(bytes.length, payloadAt + end).with({ place: { epoch, batch } })
  if (options.verify !== false) {
    const found = crcText(payload)
    if (found !== metadata.crc32c) throw BatchCorrupt(found, metadata.crc32c).with({ place: { epoch, batch } })
  }
  return { tensors: tensors.sort(byName), metadata }
}

function parseHeader(text: string): Record<string, unknown> {
  let header: unknown
  try {
    header = JSON.parse(text)
  } catch (error) {
    throw BatchHeaderInvalid('it is no JSON').with({ cause: error })
  }
  if (!isObject(header)) throw BatchHeaderInvalid('it is no JSON object')
  return header
}

function parseRow(name: string, row: unknown, payload: Uint8Array): NamedTensor {
  const { dtype: dtypeName, shape, data_offsets: offsets } = isObject(row) ? row : {}
  const dtype = DTYPE_OF.get(dtypeName)
  if (!dtype) throw BatchHeaderInvalid(`"${name}" has dtype ${JSON.stringify(dtypeName)}`)
  if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
    throw BatchHeaderInvalid(`"${name}" has no valid shape or offsets`)
  }
  const [begin = 0, end = 0] = offsets
  if (end < begin || end - begin !== tensorBytes(dtype, shape)) {
    throw BatchHeaderInvalid(`"${name}" has ${end - begin} bytes, its shape says ${tensorBytes(dtype, shape)}`)
  }
  if (end > payload.length) throw BatchTruncated(payload.length, end)
  return { name, dtype, shape, data: payload.subarray(begin, end) }
}

function metadataTexts({ job, epoch, batch, records, planHash, deferred }: NewBatchMetadata): Record<string, string> {
  const texts = { job, epoch: String(epoch), batch: String(batch), records: String(records), planHash }
  return { crc32c: CRC_UNKNOWN, ...texts, ...(deferred === undefined ? {} : { deferred }) }
}

function parseMetadata(texts: unknown): BatchMetadata {
  if (!isObject(texts)) throw BatchHeaderInvalid('it has no __metadata__')
  const text = (name: string): string => {
    const value = texts[name]
    if (typeof value !== 'string') throw BatchHeaderInvalid(`__metadata__ has no ${name}`)
    return value
  }
  const count = (name: string): number => {
    const value = Number(text(name))
    if (!Number.isSafeInteger(value) || value < 0) throw BatchHeaderInvalid(`${name} in __metadata__ is no count`)
    return value
  }
  return {
    ...{ job: text('job'), epoch: count('epoch'), batch: count('batch'), records: count('records') },
    ...{ planHash: text('planHash'), crc32c: text('crc32c') },
    ...(texts.deferred === undefined ? {} : { deferred: text('deferred') }),
  }
}

/** Bytes of a tensor; undefined when its shape is not possible. */
function tensorBytes(dtype: DType, shape: readonly number[]): number | undefined {
  const bytes = shape.reduce((product, dim) => product * dim, DTYPE_BYTES[dtype])
  return isCounts(shape) && Number.isSafeInteger(bytes) ? bytes : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const crcText = (payload: Uint8Array): string => crc32c(payload).toString(16).padStart(8, '0')
