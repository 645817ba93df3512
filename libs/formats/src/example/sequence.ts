import type { FeatureSpec, SequenceFeatureSpec } from '@stoker/spec'
import { FeatureMissing, SequenceStep } from '../error-table.js'
import type { Field } from '../tensor.js'
import { countOf, emptyElements, isMissing, readList } from './elements.js'
import type { ExampleParser } from './parse.js'
import { keysIn, type List, MESSAGE_1, MESSAGE_2, readFeature, readMap, slotOf, walk } from './slots.js'
import { padFiller, sizeOf, toField, valueReader } from './values.js'
import { WireReader } from './wire.js'

/**
 * Compiles a parser of `tf.train.SequenceExample`, as `tf.io.parse_single_sequence_example`: the features of its context,
 * and each list of steps as [steps, ...]. A list of variable length is [steps, longest], as `tf.sparse.to_dense` gives it.
 *
 *   SequenceExample = context:1 (Features) feature_lists:2 ; FeatureLists = feature_list:1 (map entry: key:1 value:2)
 *   FeatureList = feature:1 (Feature)*
 *   Source: tensorflow/core/example/example.proto, feature.proto
 *
 * @throws StokerError STK_SPEC_LITERAL here; STK_EXAMPLE_MALFORMED, _MISSING, _TYPE, _COUNT, _STEP from the parser.
 */
export function createSequenceExampleParser(
  context: Readonly<Record<string, FeatureSpec>>,
  sequence: Readonly<Record<string, SequenceFeatureSpec>>,
): ExampleParser {
  const whole = Object.entries(context).map(
    ([name, feature]) => [name, slotOf<List>(name), valueReader(name, feature)] as const,
  )
  const lists = Object.entries(sequence).map(
    ([name, feature]) => [name, slotOf<List[]>(name), stepsReader(name, feature)] as const,
  )
  const contextSlots = whole.map(([, slot]) => slot)
  const listSlots = lists.map(([, slot]) => slot)
  return (bytes) => {
    for (const slot of [...contextSlots, ...listSlots]) slot.value = undefined
    const reader = new WireReader(bytes)
    const enter = (tag: number): void => {
      if (tag === MESSAGE_1) readMap(reader, contextSlots, readFeature)
      else readMap(reader, listSlots, readSteps)
    }
    walk(reader, bytes.length, MESSAGE_1, enter, MESSAGE_2)
    const names = (part: number) => () => namesIn(bytes, part)
    const record: Record<string, Field> = {}
    for (const [name, slot, read] of whole) record[name] = read(bytes, slot.value, names(MESSAGE_1))
    for (const [name, slot, read] of lists) record[name] = read(bytes, slot.value, names(MESSAGE_2))
    return record
  }
}

function readSteps(reader: WireReader): List[] {
  const steps: List[] = []
  walk(reader, reader.end, MESSAGE_1, () =>
    steps.push(readFeature(new WireReader(reader.bytes, reader.at, reader.end))),
  )
  return steps
}

type StepsReader = (bytes: Uint8Array, steps: readonly List[] | undefined, names: () => readonly string[]) => Field

function stepsReader(name: string, feature: SequenceFeatureSpec): StepsReader {
  const { dtype } = feature
  const place = { place: { field: name } }
  if (feature.kind === 'varLen') {
    const pad = padFiller(feature)
    return (bytes, steps = []) => {
      const counts = steps.map((list) => (isMissing(name, dtype, list) ? 0 : countOf(bytes, dtype, list)))
      const length = feature.length ?? counts.reduce((most, count) => Math.max(most, count), 0)
      const elements = emptyElements(dtype, steps.length * length)
      for (const [step, list] of steps.entries()) {
        readList(bytes, list, elements, step * length, length)
        pad(elements, step * length + Math.min(counts[step] ?? 0, length), (step + 1) * length)
      }
      return toField(dtype, [steps.length, length], elements)
    }
  }
  const { shape = [], allowMissing = false } = feature
  const size = sizeOf(shape)
  return (bytes, steps, names) => {
    if (!steps && !allowMissing) throw FeatureMissing(name, dtype, names().join(', ') || 'none').with(place)
    const found = steps ?? []
    const elements = emptyElements(dtype, found.length * size)
    for (const [step, list] of found.entries()) {
      if (isMissing(name, dtype, list)) throw SequenceStep(name, step, 0, shape.join(', '), size).with(place)
      const count = readList(bytes, list, elements, step * size, size)
      if (count !== size) throw SequenceStep(name, step, count, shape.join(', '), size).with(place)
    }
    return toField(dtype, [found.length, ...shape], elements)
  }
}

function namesIn(bytes: Uint8Array, part: number): string[] {
  const names: string[] = []
  const reader = new WireReader(bytes)
  walk(reader, bytes.length, part, () => names.push(...keysIn(reader)))
  return names
}
