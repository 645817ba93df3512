import type { RecordFields } from '@stoker/formats'
import type { DType, Stage } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { compileStages } from '../src/index.js'
import { failureOf, golden } from './support.js'

const text = (value: string | Uint8Array): RecordFields => ({
  x: { dtype: 'string', shape: [], data: typeof value === 'string' ? Buffer.from(value) : value },
})
const run = async (stage: Stage, record: RecordFields) => (await compileStages([stage])(record, { key: 0 })).x!

/** Numbers as golden files spell them. */
function spelled({ data }: RecordFields[string]): string[] {
  if (data instanceof Float32Array || data instanceof Float64Array) {
    const bits =
      data instanceof Float32Array ? new Uint32Array(data.buffer) : new BigUint64Array(data.buffer as ArrayBuffer)
    return Array.from<number | bigint, string>(bits as ArrayLike<number | bigint>, (bit, at) =>
      Number.isNaN(data[at]) ? 'nan' : bit.toString(16).padStart(2 * data.BYTES_PER_ELEMENT, '0'),
    )
  }
  return Array.from(data as ArrayLike<number | bigint>, String)
}

interface GoldenRaw {
  readonly dtype: DType
  readonly bytes: string
  readonly options: { readonly littleEndian?: boolean; readonly fixedLength?: number }
  readonly tf: string[] | null
}

describe('decodeRaw as TensorFlow does', () => {
  it.each(golden<GoldenRaw[]>('decode-raw.json'))('$dtype $options', async ({ dtype, bytes, options, tf }) => {
    const stage: Stage = { op: 'decodeRaw', field: 'x', dtype, ...options }
    const decode = () => run(stage, text(Buffer.from(bytes, 'base64')))
    if (tf) {
      const value = await decode()
      expect(value).toMatchObject({ dtype, shape: [tf.length] })
      expect(spelled(value)).toEqual(tf)
    } else
      expect(await failureOf(decode)).toMatchObject({ code: 'STK_OPS_BYTES', place: { op: 'decodeRaw', field: 'x' } })
  })

  it('reads bytes that lie anywhere in memory, and leaves them as they are', async () => {
    const memory = Uint8Array.of(9, 1, 2, 3, 4, 9)
    const value = await run(
      { op: 'decodeRaw', field: 'x', dtype: 'int32', littleEndian: false },
      text(memory.subarray(1, 5)),
    )
    expect(value.data).toEqual(Int32Array.of(0x01020304))
    expect(memory).toEqual(Uint8Array.of(9, 1, 2, 3, 4, 9))
  })
})

describe('decodeBase64 as TensorFlow does', () => {
  it.each(golden<{ text: string; tf: [string] | null }[]>('base64.json'))('"$text"', async ({ text: encoded, tf }) => {
    const decode = () => run({ op: 'decodeBase64', field: 'x' }, text(encoded))
    if (tf) expect(Buffer.from((await decode()).data as Uint8Array).toString('base64')).toBe(tf[0])
    else expect((await failureOf(decode)).code).toBe('STK_OPS_BYTES')
  })
})

type NumberType = 'int32' | 'int64' | 'float32' | 'float64'

describe('stringToNumber as TensorFlow does', () => {
  it.each(golden<{ dtype: NumberType; text: string; tf: string | null }[]>('to-number.json'))(
    '"$text" as $dtype',
    async ({ dtype, text: written, tf }) => {
      const parse = () => run({ op: 'stringToNumber', field: 'x', dtype }, text(written))
      if (tf !== null) {
        const value = await parse()
        expect(value).toMatchObject({ dtype, shape: [] })
        expect(spelled(value)).toEqual([tf])
      } else expect((await failureOf(parse)).code).toBe('STK_OPS_BYTES')
    },
  )

  it('keeps the shape of several texts', async () => {
    const data = ['1', '2', '3', '4'].map((one) => Buffer.from(one))
    const value = await run(
      { op: 'stringToNumber', field: 'x', dtype: 'int64' },
      { x: { dtype: 'string', shape: [2, 2], data } },
    )
    expect(value).toEqual({ dtype: 'int64', shape: [2, 2], data: BigInt64Array.of(1n, 2n, 3n, 4n) })
  })
})
