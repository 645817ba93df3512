import { type FeatureSpec, fixedLen } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { FeatureDefault } from '../src/error-table.js'
import { encodeExample } from '../src/example/encode.js'
import { createExampleParser, parseExample } from '../src/example/parse.js'
import type { RecordFields } from '../src/types.js'
import { failureOf, fixture, golden } from './support.js'

interface GoldenExample {
  readonly what: string
  readonly record: string
  readonly features: Record<string, FeatureSpec>
  readonly tf: { readonly values?: Record<string, string[]>; readonly error?: string }
}

/** Values as the golden file spells them. */
function spelled(fields: RecordFields): Record<string, string[]> {
  const spell = ({ data }: RecordFields[string]): string[] => {
    if (data instanceof Float32Array) {
      return Array.from(new Uint32Array(data.buffer), (bits) => bits.toString(16).padStart(8, '0'))
    }
    if (data instanceof BigInt64Array) return Array.from(data, String)
    return (data instanceof Uint8Array ? [data] : (data as Uint8Array[])).map((bytes) =>
      Buffer.from(bytes).toString('base64'),
    )
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, spell(value)]))
}

/** Where Stoker follows protobuf and TensorFlow's fast parser does not. */
const TAKEN_HERE: Record<string, Record<string, string[]>> = {
  'packed in two parts': { a: ['1', '2', '3'] },
  'packed and unpacked mixed': { a: ['1', '2'] },
  'floats packed and unpacked mixed': { b: ['3f800000', '40000000'] },
  'unknown field in Features': { a: ['7'] },
}
const REFUSED_HERE = ['packed floats of five bytes', 'field number 0']

const CODES: [RegExp, string][] = [
  [/is required but could not be found/, 'STK_EXAMPLE_MISSING'],
  [/Data types don't match/, 'STK_EXAMPLE_TYPE'],
  [/list slice was not parsed|Parsing bytes_list failed/, 'STK_EXAMPLE_COUNT'],
  [/Could not parse example|refused/, 'STK_EXAMPLE_MALFORMED'],
]

describe('parsing as TensorFlow does', () => {
  it.each(golden<GoldenExample[]>('example.json'))('$what', async ({ what, record, features, tf }) => {
    const parse = () => parseExample(Buffer.from(record, 'base64'), features)
    const values = TAKEN_HERE[what] ?? tf.values
    if (values && !REFUSED_HERE.includes(what)) {
      expect(spelled(parse())).toEqual(values)
      return
    }
    const error = await failureOf(parse)
    const code = tf.error ? CODES.find(([text]) => text.test(tf.error ?? ''))?.[1] : 'STK_EXAMPLE_MALFORMED'
    expect(error.code).toBe(code)
    if (code !== 'STK_EXAMPLE_MALFORMED') expect(error.place?.field).toBe(Object.keys(features).at(-1))
  })
})

describe('cases met by other people', () => {
  const int64 = (shape: number[] = [], fallback?: number): FeatureSpec => fixedLen('int64', shape, fallback)
  const withDefaults = { a: int64([], -1), b: fixedLen('float32', [2], [0.5, 1.5]) }

  it.each([
    ['example/missing_and_empty', 0, withDefaults, { a: ['7'], b: ['40000000', '40400000'] }],
    ['example/missing_and_empty', 1, withDefaults, { a: ['-1'], b: ['40000000', '40400000'] }],
    ['example/missing_and_empty', 2, withDefaults, { a: ['-1'], b: ['3f000000', '3fc00000'] }],
    ['example/missing_and_empty', 3, withDefaults, 'STK_EXAMPLE_COUNT'],
    ['example/missing_and_empty', 4, { a: int64() }, 'STK_EXAMPLE_MISSING'],
    ['example/missing_and_empty', 5, { a: int64() }, 'STK_EXAMPLE_MISSING'],
    ['example/unpacked_lists', 0, { a: int64([3]) }, { a: ['1', '-1', '1099511627776'] }],
    ['example/unpacked_lists', 1, { a: int64([3]) }, { a: ['1', '-1', '1099511627776'] }],
    ['example/unpacked_lists', 2, { a: int64() }, { a: ['5'] }],
    ['example/int64_extremes', 1, { a: int64() }, { a: ['-1'] }],
    ['example/int64_extremes', 2, { a: int64() }, { a: ['9007199254740993'] }],
    ['example/fixed_shapes', 0, { a: int64([2, 2]) }, { a: ['1', '2', '3', '4'] }],
    ['example/fixed_shapes', 1, { a: int64([2, 2]) }, 'STK_EXAMPLE_COUNT'],
    ['example/fixed_shapes', 2, { a: int64([2, 2]) }, 'STK_EXAMPLE_COUNT'],
  ] as const)('%s, record %i', async (file, at, features, expected) => {
    const record = payloadsOf(fixture(`cases/files/${file}.tfrecord`))[at]!
    if (typeof expected === 'string') {
      const error = await failureOf(() => parseExample(record, features))
      expect(error).toMatchObject({ code: expected, place: { field: 'a' } })
    } else expect(spelled(parseExample(record, features))).toEqual(expected)
  })
})

/** Payloads of a sound shard, by its own lengths. */
function payloadsOf(shard: Buffer): Uint8Array[] {
  const payloads: Uint8Array[] = []
  for (let at = 0; at < shard.length; ) {
    const length = shard.readUInt32LE(at)
    payloads.push(shard.subarray(at + 12, at + 12 + length))
    at += 16 + length
  }
  return payloads
}

it('gives tensors their shape and byte strings as views of the record', () => {
  const record = encodeExample({ a: { int64: [1, 2, 3, 4] }, s: { bytes: ['xy'] }, t: { bytes: ['p', 'q'] } })
  const features = {
    a: { kind: 'fixedLen', dtype: 'int64', shape: [2, 2] },
    s: { kind: 'fixedLen', dtype: 'string' },
    t: { kind: 'fixedLen', dtype: 'string', shape: [2] },
  } as const satisfies Record<string, FeatureSpec>
  const fields = createExampleParser(features as unknown as Record<string, FeatureSpec>)(record)
  expect(fields.a).toEqual({ dtype: 'int64', shape: [2, 2], data: BigInt64Array.of(1n, 2n, 3n, 4n) })
  expect(fields.s).toMatchObject({ dtype: 'string', shape: [] })
  expect((fields.s!.data as Uint8Array).buffer).toBe(record.buffer)
  expect(fields.t?.shape).toEqual([2])
})

it('writes what TensorFlow writes', () => {
  const { record } = golden<{ record: string }>('example-encoded.json')
  // TensorFlow sorts the keys when it is asked to be deterministic; here they keep the order given.
  const ours = encodeExample({
    image: { bytes: ['abc', ''] },
    label: { int64: [7n, -1] },
    x: { float32: [1.5, -2] },
  })
  expect(Buffer.from(ours).toString('base64')).toBe(record)
})

it('takes anything that is cut or damaged as a coded error or as another sound record, never worse', () => {
  const record = encodeExample({ a: { int64: [1n << 40n, -5] }, b: { float32: [1, 2] }, c: { bytes: ['hello'] } })
  const parse = createExampleParser({
    a: { kind: 'fixedLen', dtype: 'int64', shape: [2] },
    b: { kind: 'fixedLen', dtype: 'float32', shape: [2] },
    c: { kind: 'fixedLen', dtype: 'string', shape: [] },
  })
  let refused = 0
  const attempt = (bytes: Uint8Array) => {
    try {
      parse(bytes)
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^STK_EXAMPLE_/) })
      refused++
    }
  }
  for (let cut = 0; cut < record.length; cut++) attempt(record.subarray(0, cut))
  expect(refused).toBe(record.length)
  for (let at = 0; at < record.length; at++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      const damaged = record.slice()
      damaged[at] = (damaged[at] ?? 0) ^ bit
      attempt(damaged)
    }
  }
})

it.each([
  [
    { kind: 'fixedLen', dtype: 'int64', shape: [3], default: [1, 2] },
    '2 values, its shape [3] needs 3 (or one for all)',
  ],
  [{ kind: 'fixedLen', dtype: 'int64', shape: [], default: 1.5 }, '1.5 is no int64'],
  [{ kind: 'fixedLen', dtype: 'int64', shape: [], default: '9223372036854775808' }, 'is no int64'],
  [{ kind: 'fixedLen', dtype: 'int64', shape: [], default: 2 ** 60 }, 'is no int64'],
] as [FeatureSpec, string][])('refuses the default of %o', async (feature, text) => {
  const error = await failureOf(() => createExampleParser({ a: feature }))
  expect(FeatureDefault.is(error)).toBe(true)
  expect(error.message).toContain(text)
})

it('spreads one default over a shape and reads large int64 from a string', () => {
  const parse = createExampleParser({
    a: { kind: 'fixedLen', dtype: 'int64', shape: [2], default: '-9223372036854775808' },
    c: { kind: 'fixedLen', dtype: 'string', shape: [2], default: 'π' },
  })
  expect(parse(new Uint8Array(0)).a?.data).toEqual(BigInt64Array.of(-(2n ** 63n), -(2n ** 63n)))
  expect(spelled(parse(new Uint8Array(0))).c).toEqual(['z4A=', 'z4A='])
})
