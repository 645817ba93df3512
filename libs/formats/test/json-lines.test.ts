import type { JsonFeature } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseJson, wholeOf } from '../src/json-lines/parse.js'
import { type JsonLinesSource, jsonLines } from '../src/json-lines.js'
import type { RecordFields } from '../src/types.js'
import { type Desk, fixture, golden, inChunks, openDesk, readEach, spelled } from './support.js'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

let puts = 0
async function read(bytes: Uint8Array, features: Record<string, JsonFeature>, context = desk.context) {
  const source: JsonLinesSource = { type: 'jsonLines', files: 'x', features }
  return readEach(jsonLines, await desk.put(`lines-${puts++}.jsonl`, bytes), source, context)
}

/** The one feature `v` of one line: its values, or the code of the error. */
async function valueIn(
  line: string,
  feature: JsonFeature,
): Promise<{ shape: readonly number[]; values: string[] } | string> {
  const [one] = await read(Buffer.from(line), { v: feature })
  if (!one || 'code' in one) return String(one?.code)
  const { v } = one as RecordFields
  return { shape: v!.shape, values: v!.dtype === 'string' ? textsOf(v!) : spelled(v!) }
}
const textsOf = (field: RecordFields[string]) => spelled(field).map((text) => Buffer.from(text, 'base64').toString())

describe('a case met by other people', () => {
  const [expected] = golden<{ id: string; expected: { ids: string[]; t: string[] } }[]>('../cases/manifest.json')
    .filter(({ id }) => id === 'jsonl-h')
    .map((one) => one.expected)

  it.each([1, 3, 65_536])('jsonl-h, its GZIP in chunks of %i', async (chunkBytes) => {
    const { gzipSync } = await import('node:zlib')
    const bytes = fixture('cases/files/jsonl/big_ids.jsonl')
    const context = { ...desk.context, store: inChunks(desk.store, chunkBytes) }
    for (const packed of [bytes, gzipSync(bytes)]) {
      const records = (await read(
        packed,
        { id: { dtype: 'int64' }, t: { dtype: 'string' } },
        context,
      )) as RecordFields[]
      expect(records.map(({ id }) => spelled(id!)[0])).toEqual(expected?.ids)
      expect(records.map(({ t }) => textsOf(t!)[0])).toEqual(expected?.t)
    }
  })
})

it.each<[string, string, JsonFeature, { shape: number[]; values: string[] } | string]>([
  ['an int64 beyond 2^53', '{"v":9007199254740993}', { dtype: 'int64' }, { shape: [], values: ['9007199254740993'] }],
  [
    'the least int64',
    '{"v":-9223372036854775808}',
    { dtype: 'int64' },
    { shape: [], values: ['-9223372036854775808'] },
  ],
  ['an int64 out of range', '{"v":9223372036854775808}', { dtype: 'int64' }, 'STK_JSON_VALUE'],
  [
    'an int64 as protobuf writes it',
    '{"v":"9007199254740993"}',
    { dtype: 'int64' },
    { shape: [], values: ['9007199254740993'] },
  ],
  ['a whole number with an exponent', '{"v":1.5e3}', { dtype: 'int64' }, { shape: [], values: ['1500'] }],
  ['a whole number with a fraction of zeros', '{"v":7.000}', { dtype: 'int32' }, { shape: [], values: ['7'] }],
  ['a fraction that a double would round away', '{"v":7.00000000000000000001}', { dtype: 'int64' }, 'STK_JSON_VALUE'],
  ['a fraction', '{"v":0.5}', { dtype: 'int64' }, 'STK_JSON_VALUE'],
  ['a number past uint8', '{"v":256}', { dtype: 'uint8' }, 'STK_JSON_VALUE'],
  ['a negative for uint8', '{"v":-1}', { dtype: 'uint8' }, 'STK_JSON_VALUE'],
  ['a float32', '{"v":0.1}', { dtype: 'float32' }, { shape: [], values: ['3dcccccd'] }],
  [
    'a float64 with many digits',
    '{"v":0.1000000000000000055511151231257827}',
    { dtype: 'float64' },
    { shape: [], values: ['3fb999999999999a'] },
  ],
  ['a float past float32', '{"v":1e39}', { dtype: 'float32' }, 'STK_JSON_VALUE'],
  ['a text for a number', '{"v":"1"}', { dtype: 'float32' }, 'STK_JSON_VALUE'],
  ['a bool', '{"v":true}', { dtype: 'bool' }, { shape: [], values: ['AQ=='] }],
  ['a number for a bool', '{"v":1}', { dtype: 'bool' }, 'STK_JSON_VALUE'],
  ['a bool for a number', '{"v":true}', { dtype: 'int64' }, 'STK_JSON_VALUE'],
  [
    'text with separators and escapes',
    '{"v":"a\u2028b\\n\\u00e9😀"}',
    { dtype: 'string' },
    { shape: [], values: ['a\u2028b\né😀'] },
  ],
  ['half a surrogate pair', '{"v":"\\ud83d"}', { dtype: 'string' }, 'STK_JSON_VALUE'],
  ['an array', '{"v":[1,2,3]}', { dtype: 'int32', shape: [3] }, { shape: [3], values: ['1', '2', '3'] }],
  [
    'arrays in arrays',
    '{"v":[[1,2],[3,4],[5,6]]}',
    { dtype: 'int64', shape: [3, 2] },
    { shape: [3, 2], values: ['1', '2', '3', '4', '5', '6'] },
  ],
  [
    'an array of any length',
    '{"v":["a","","c"]}',
    { dtype: 'string', shape: [null] },
    { shape: [3], values: ['a', '', 'c'] },
  ],
  ['an empty array of any length', '{"v":[]}', { dtype: 'int64', shape: [null, 2] }, { shape: [0, 2], values: [] }],
  ['a ragged array', '{"v":[[1,2],[3]]}', { dtype: 'int64', shape: [2, 2] }, 'STK_JSON_SHAPE'],
  ['a long array', '{"v":[1,2,3]}', { dtype: 'int64', shape: [2] }, 'STK_JSON_SHAPE'],
  ['a number for an array', '{"v":1}', { dtype: 'int64', shape: [1] }, 'STK_JSON_SHAPE'],
  ['an array for a number', '{"v":[1]}', { dtype: 'int64' }, 'STK_JSON_VALUE'],
  ['null in an array', '{"v":[1,null]}', { dtype: 'int64', shape: [2] }, 'STK_JSON_VALUE'],
  [
    'a nested path',
    '{"a":{"b":[{"v":1}],"c":{"d":5}}}',
    { dtype: 'int64', path: 'a.c.d' },
    { shape: [], values: ['5'] },
  ],
  ['keys with dots', '{"a.b":{"c":5}}', { dtype: 'int64', path: ['a.b', 'c'] }, { shape: [], values: ['5'] }],
  ['a missing value', '{"w":1}', { dtype: 'int64' }, 'STK_JSON_MISSING'],
  ['a path that leads nowhere', '{"v":1}', { dtype: 'int64', path: 'v.w' }, 'STK_JSON_MISSING'],
  [
    'a missing value with a default',
    '{"w":1}',
    { dtype: 'int64', default: '-9223372036854775808' },
    { shape: [], values: ['-9223372036854775808'] },
  ],
  [
    'null with a default',
    '{"v":null}',
    { dtype: 'float32', shape: [2], default: 1 },
    { shape: [2], values: ['3f800000', '3f800000'] },
  ],
  [
    'a default of any length',
    '{}',
    { dtype: 'int32', shape: [null], default: [] as number[] },
    { shape: [0], values: [] },
  ],
  ['a key that comes twice', '{"v":1,"v":2}', { dtype: 'int64' }, { shape: [], values: ['2'] }],
  [
    'a key twice beside a long number',
    '{"w":12345678901234567890,"v":1,"v":2}',
    { dtype: 'int64' },
    { shape: [], values: ['2'] },
  ],
  ['a key of every object', '{"w":1}', { dtype: 'int64', path: 'toString' }, 'STK_JSON_MISSING'],
  ['no object', '[1]', { dtype: 'int64' }, 'STK_JSON_MALFORMED'],
  ['a long number alone', '12345678901234567890', { dtype: 'int64' }, 'STK_JSON_MALFORMED'],
  ['no JSON', "{'v': 1}", { dtype: 'int64' }, 'STK_JSON_MALFORMED'],
  ['NaN', '{"v":NaN}', { dtype: 'float32' }, 'STK_JSON_MALFORMED'],
  ['a cut line', '{"v":12345678901234567', { dtype: 'int64' }, 'STK_JSON_MALFORMED'],
  ['arrays beyond all depth', `{"v":${'['.repeat(100_000)}1e3`, { dtype: 'int64' }, 'STK_JSON_MALFORMED'],
])('%s', async (_, line, feature, expected) => {
  expect(await valueIn(line, feature)).toEqual(expected)
})

it('skips empty lines and a BOM, and reads on after a bad line', async () => {
  const bytes = Buffer.from('\ufeff\r\n\n{"v":1}\r\n \t\n{"v":\n{"v":3}')
  const each = await read(bytes, { v: { dtype: 'int64' } })
  expect(each.map((one) => ('code' in one ? one.code : spelled((one as RecordFields).v!)[0]))).toEqual([
    '1',
    'STK_JSON_MALFORMED',
    '3',
  ])
  expect(each[1]).toMatchObject({ place: { record: 1, offset: bytes.indexOf('{"v":\n') } })
  expect(await read(Buffer.from('\ufeff{"v":1}'), { v: { dtype: 'int64' } })).toHaveLength(1)
})

it('refuses invalid UTF-8 rather than put other characters in its place', async () => {
  const [one] = await read(Buffer.from('{"v":"\xff"}', 'latin1'), { v: { dtype: 'string' } })
  expect(one).toMatchObject({ code: 'STK_JSON_MALFORMED' })
})

it('reads any number exactly, or as having a fraction', () => {
  const digits = ['0', '7', '12', '9007199254740993', '1000', '120', '00'].filter((text) => !/^0\d/.test(text))
  for (const whole of digits) {
    for (const fraction of ['', '.0', '.5', '.125', '.000']) {
      for (const exponent of [0, 1, 2, 3, -1, -2]) {
        const text = `${whole}${fraction}e${exponent}`
        const exact = BigInt(`${whole}${fraction.slice(1)}`) * 10n ** BigInt(exponent + 10)
        const scale = 10n ** BigInt(10 + Math.max(fraction.length - 1, 0))
        const expected = exact % scale === 0n ? exact / scale : undefined
        expect(wholeOf(parseJson(text) as number), text).toBe(expected)
      }
    }
  }
})
