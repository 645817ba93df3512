import { type FeatureSpec, fixedLen, fixedLenSequence, varLen } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { encodeExample } from '../src/example/encode.js'
import { createExampleParser, parseExample } from '../src/example/parse.js'
import type { RecordFields } from '../src/types.js'
import { failureOf, fixture, golden, spelled as spelledField } from './support.js'

interface GoldenExample {
  readonly what: string
  readonly record: string
  readonly features: Record<string, FeatureSpec>
  readonly tf: { readonly values?: Record<string, string[]>; readonly error?: string }
}

/** Values as the golden file spells them: NaN as its bits too. */
const spelled = (fields: RecordFields): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { data, ...field }]) => [
      name,
      data instanceof Float32Array
        ? Array.from(new Uint32Array(data.buffer), (bits) => bits.toString(16).padStart(8, '0'))
        : spelledField({ ...field, data } as RecordFields[string]),
    ]),
  )

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
    ['example/missing_and_empty', 6, { a: varLen('int64') }, { a: [] }],
    ['example/missing_and_empty', 7, { a: varLen('int64') }, { a: [] }],
    ['example/unpacked_lists', 0, { f: varLen('float32') }, { f: ['3fc00000', 'c0000000'] }],
    ['example/unpacked_lists', 1, { f: varLen('float32') }, { f: ['3fc00000', 'c0000000'] }],
    [
      'example/int64_extremes',
      0,
      { a: varLen('int64') },
      {
        a: [
          '-1',
          '-9223372036854775808',
          '9223372036854775807',
          '9007199254740993',
          '-9007199254740993',
          '2147483648',
          '-2147483649',
          '0',
        ],
      },
    ],
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

interface GoldenVariable {
  readonly what: string
  readonly record: string
  readonly features: Record<string, FeatureSpec>
  readonly tf: { readonly values?: Record<string, { shape: number[]; values: string[] }>; readonly error?: string }
}
const shaped = (fields: RecordFields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { shape: value.shape, values: spelledField(value) }]),
  )

describe('features of variable length, as TensorFlow parses them', () => {
  it.each(golden<GoldenVariable[]>('example-variable.json'))('$what', async ({ what, record, features, tf }) => {
    const parse = () => parseExample(Buffer.from(record, 'base64'), features)
    const taken = TAKEN_HERE[what]
    if (taken) expect(spelled(parse())).toEqual(taken)
    else if (tf.values) expect(shaped(parse())).toEqual(tf.values)
    else {
      const code = /divisible/.test(tf.error ?? '') ? 'STK_EXAMPLE_STRIDE' : 'STK_EXAMPLE_TYPE'
      expect(await failureOf(parse)).toMatchObject({ code, place: { field: Object.keys(features)[0] } })
    }
  })

  it('refuses a pad of another type', async () => {
    for (const feature of [varLen('int64', { length: 2, pad: 'x' }), varLen('string', { length: 2, pad: 0 })]) {
      expect((await failureOf(() => createExampleParser({ a: feature }))).code).toBe('STK_SPEC_LITERAL')
    }
  })

  it('gives one string of one value a shape', () => {
    const record = encodeExample({ c: { bytes: ['x'] } })
    for (const feature of [varLen('string'), varLen('string', { length: 1 }), fixedLenSequence('string')]) {
      expect(parseExample(record, { c: feature }).c).toEqual({
        dtype: 'string',
        shape: [1],
        data: [Uint8Array.of(120)],
      })
    }
  })
})

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
  [{ kind: 'fixedLen', dtype: 'int64', shape: [3], default: [1, 2] }, 'the shape [3] needs 3 values'],
  [{ kind: 'fixedLen', dtype: 'int64', shape: [], default: 1.5 }, '1.5 is no int64: write a whole number'],
  [
    { kind: 'fixedLen', dtype: 'int64', shape: [], default: '9223372036854775808' },
    'it goes from -9223372036854775808',
  ],
  [{ kind: 'fixedLen', dtype: 'int64', shape: [], default: 2 ** 60 }, 'is no int64'],
] as [FeatureSpec, string][])('refuses the default of %o', async (feature, text) => {
  const error = await failureOf(() => createExampleParser({ a: feature }))
  expect(error).toMatchObject({ code: 'STK_SPEC_LITERAL', place: { field: 'a' } })
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
