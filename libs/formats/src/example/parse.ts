import type { FeatureSpec } from '@stoker/spec'
import { FeatureCount, FeatureMissing, FeatureType } from '../error-table.js'
import type { Bytes, RecordFields, StringTensor, Tensor } from '../types.js'
import { defaultOf, sizeOf } from './defaults.js'
import { readBytes, readFloats, readInt64s } from './lists.js'
import { DELIMITED, WireReader } from './wire.js'

/**
 * tf.train.Example = features:1 ; Features = feature:1 (map entry: key:1 value:2)
 * Feature = bytes_list:1 | float_list:2 | int64_list:3 ; each list = value:1
 * Source: tensorflow/core/example/example.proto, feature.proto
 */
const MESSAGE_1 = (1 << 3) | DELIMITED
const MESSAGE_2 = (2 << 3) | DELIMITED
const KINDS = [undefined, 'string', 'float32', 'int64'] as const

type Features = Readonly<Record<string, FeatureSpec>>
export type ExampleParser = (bytes: Uint8Array) => RecordFields

/** Where the value of one asked feature lies in the record under parse. */
interface Slot {
  readonly name: string
  readonly key: Uint8Array
  readonly feature: FeatureSpec
  readonly size: number
  readonly shape: readonly number[]
  readonly fallback: Tensor | Bytes | StringTensor | undefined
  /** 0: absent, or present without a kind, which TensorFlow takes for absent. */
  kind: 0 | 1 | 2 | 3
  /** [start, end) of each part of the list; protobuf may cut a list in several. */
  parts: number[]
}

/**
 * Compiles a parser for the given features, as `tf.io.parse_single_example` with `FixedLenFeature`s. Byte strings are
 * views of the record, int64 is exact, of a key that occurs twice the last one counts.
 *
 * @throws StokerError STK_EXAMPLE_DEFAULT here; STK_EXAMPLE_MALFORMED, _MISSING, _TYPE, _COUNT from the parser.
 */
export function createExampleParser(features: Features): ExampleParser {
  const slots = Object.entries(features).map(([name, feature]): Slot => {
    const shape = feature.shape ?? []
    const fallback = defaultOf(name, feature)
    return {
      name,
      key: new TextEncoder().encode(name),
      feature,
      size: sizeOf(shape),
      shape,
      fallback,
      kind: 0,
      parts: [],
    }
  })
  return (bytes) => {
    for (const slot of slots) {
      slot.kind = 0
      slot.parts = []
    }
    const reader = new WireReader(bytes)
    walk(reader, bytes.length, MESSAGE_1, () => walk(reader, reader.end, MESSAGE_1, () => readEntry(reader, slots)))
    const record: Record<string, Tensor | Bytes | StringTensor> = {}
    for (const slot of slots) record[slot.name] = readValue(slot, bytes)
    return record
  }
}

const parsers = new WeakMap<Features, ExampleParser>()

/** Parses one `tf.train.Example`. The parser of a `features` object is compiled once. */
export function parseExample(bytes: Uint8Array, features: Features): RecordFields {
  let parse = parsers.get(features)
  if (!parse) {
    parse = createExampleParser(features)
    parsers.set(features, parse)
  }
  return parse(bytes)
}

/** Goes through the fields of the message up to `end`; `enter` reads the parts with the wanted tag, the rest is skipped. */
function walk(reader: WireReader, end: number, wanted: number, enter: (tag: number) => void, also?: number): void {
  const outer = reader.end
  reader.end = end
  while (reader.more) {
    const tag = reader.tag()
    if (tag !== wanted && tag !== also) {
      reader.skip(tag)
      continue
    }
    const partEnd = reader.delimited()
    reader.end = partEnd
    enter(tag)
    reader.at = partEnd
    reader.end = end
  }
  reader.end = outer
}

function readEntry(reader: WireReader, slots: readonly Slot[]): void {
  let keyStart = 0
  let keyEnd = 0
  let valueStart = 0
  let valueEnd = 0
  walk(
    reader,
    reader.end,
    MESSAGE_1,
    (tag) => {
      if (tag === MESSAGE_1) {
        keyStart = reader.at
        keyEnd = reader.end
      } else {
        valueStart = reader.at
        valueEnd = reader.end
      }
    },
    MESSAGE_2,
  )
  const slot = slots.find(({ key }) => isEqual(reader.bytes, keyStart, keyEnd, key))
  if (slot) readFeature(new WireReader(reader.bytes, valueStart, valueEnd), slot)
}

function readFeature(reader: WireReader, slot: Slot): void {
  slot.kind = 0
  slot.parts = []
  while (reader.more) {
    const tag = reader.tag()
    const kind = tag >>> 3
    if ((tag & 7) !== DELIMITED || (kind !== 1 && kind !== 2 && kind !== 3)) {
      reader.skip(tag)
      continue
    }
    const end = reader.delimited()
    // A oneof: the last kind counts, parts of one kind add up.
    if (slot.kind !== kind) slot.parts = []
    slot.kind = kind
    slot.parts.push(reader.at, end)
    reader.at = end
  }
}

function readValue(slot: Slot, bytes: Uint8Array): Tensor | Bytes | StringTensor {
  const { name, feature, shape, size } = slot
  const held = KINDS[slot.kind]
  if (held === undefined) {
    if (slot.fallback) return slot.fallback
    throw FeatureMissing(name, feature.dtype, namesIn(bytes).join(', ') || 'none').with({ place: { field: name } })
  }
  if (held !== feature.dtype) throw FeatureType(name, feature.dtype, held).with({ place: { field: name } })
  if (held === 'string') {
    const strings: Uint8Array[] = []
    eachPart(slot, bytes, (reader, start, end) => readBytes(reader, start, end, strings))
    checkCount(slot, strings.length)
    const [only] = strings
    return shape.length === 0 && only
      ? { dtype: 'string', shape: [], data: only }
      : { dtype: 'string', shape, data: strings }
  }
  let count = 0
  if (held === 'float32') {
    const data = new Float32Array(size)
    const raw = new Uint8Array(data.buffer)
    eachPart(slot, bytes, (reader, start, end) => {
      count = readFloats(reader, start, end, raw, count)
    })
    checkCount(slot, count)
    return { dtype: 'float32', shape, data }
  }
  const data = new BigInt64Array(size)
  const halves = new Int32Array(data.buffer)
  eachPart(slot, bytes, (reader, start, end) => {
    count = readInt64s(reader, start, end, halves, count)
  })
  checkCount(slot, count)
  return { dtype: 'int64', shape, data }
}

function eachPart(slot: Slot, bytes: Uint8Array, read: (reader: WireReader, start: number, end: number) => void): void {
  const reader = new WireReader(bytes)
  for (let at = 0; at < slot.parts.length; at += 2) read(reader, slot.parts[at] ?? 0, slot.parts[at + 1] ?? 0)
}

function checkCount({ name, shape, size }: Slot, count: number): void {
  if (count !== size) throw FeatureCount(name, count, shape.join(', '), size).with({ place: { field: name } })
}

function isEqual(bytes: Uint8Array, start: number, end: number, key: Uint8Array): boolean {
  if (end - start !== key.length) return false
  for (let at = 0; at < key.length; at++) if (bytes[start + at] !== key[at]) return false
  return true
}

/** Names of the features that a record has, for an error message; the first 20. */
function namesIn(bytes: Uint8Array): string[] {
  const names: string[] = []
  const reader = new WireReader(bytes)
  const text = new TextDecoder()
  walk(reader, bytes.length, MESSAGE_1, () =>
    walk(reader, reader.end, MESSAGE_1, () =>
      walk(reader, reader.end, MESSAGE_1, () => {
        if (names.length < 20) names.push(text.decode(bytes.subarray(reader.at, reader.end)))
      }),
    ),
  )
  return names
}
