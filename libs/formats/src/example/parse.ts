import type { FeatureSpec } from '@stoker/spec'
import type { Field } from '../tensor.js'
import type { RecordFields } from '../types.js'
import { keysIn, type List, MESSAGE_1, readFeature, readMap, slotOf, walk } from './slots.js'
import { valueReader } from './values.js'
import { WireReader } from './wire.js'

type Features = Readonly<Record<string, FeatureSpec>>
export type ExampleParser = (bytes: Uint8Array) => RecordFields

/**
 * Compiles a parser of `tf.train.Example` for the given features, as `tf.io.parse_single_example`. Byte strings are views
 * of the record, int64 is exact, of a key that occurs twice the last one counts.
 *
 *   Example = features:1
 *   Source: tensorflow/core/example/example.proto
 *
 * @throws StokerError STK_SPEC_LITERAL here; STK_EXAMPLE_MALFORMED, _MISSING, _TYPE, _COUNT, _STRIDE from the parser.
 */
export function createExampleParser(features: Features): ExampleParser {
  const asked = Object.entries(features).map(
    ([name, feature]) => [name, slotOf<List>(name), valueReader(name, feature)] as const,
  )
  const slots = asked.map(([, slot]) => slot)
  return (bytes) => {
    for (const slot of slots) slot.value = undefined
    const reader = new WireReader(bytes)
    walk(reader, bytes.length, MESSAGE_1, () => readMap(reader, slots, readFeature))
    const record: Record<string, Field> = {}
    for (const [name, slot, read] of asked) record[name] = read(bytes, slot.value, () => namesIn(bytes))
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

/** Names of the features that a record has. */
function namesIn(bytes: Uint8Array): string[] {
  const names: string[] = []
  const reader = new WireReader(bytes)
  walk(reader, bytes.length, MESSAGE_1, () => names.push(...keysIn(reader)))
  return names
}
