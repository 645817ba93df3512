import { checkPipeline, type InlineTensor, pipeline, type Source, StokerError, tensors as spec } from '@stoker/spec'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TensorsSource, tensors } from '../src/tensors.js'
import { type Desk, failureOf, openDesk, readAll, spelled } from './support.js'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const sourceOf = (fields: Record<string, InlineTensor>) => spec(fields) as TensorsSource
const base64 = (data: ArrayBufferView) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')

it('gives the rows of its arrays, whole numbers exact', async () => {
  const source = sourceOf({
    x: {
      dtype: 'float32',
      values: [
        [0.1, 'NaN'],
        ['-Infinity', -0],
      ],
    },
    id: { dtype: 'int64', values: ['9223372036854775807', -1] },
    flag: { dtype: 'bool', values: [true, 0] },
    text: { dtype: 'string', values: ['größe', ''] },
    words: {
      dtype: 'string',
      values: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    image: {
      dtype: 'uint8',
      values: [
        [[1], [2]],
        [[3], [255]],
      ],
    },
  })
  const [pin] = await tensors.pin(source, desk.context)
  if (!pin) throw new Error('no pin')
  expect(tensors.countNow?.(source)).toBe(2)
  const rows = (await readAll(tensors, pin, source, desk.context)).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, field]) => [name, [field.dtype, field.shape, spelled(field)]])),
  )
  const text = (...texts: string[]) => texts.map((one) => Buffer.from(one).toString('base64'))
  expect(rows).toEqual([
    {
      x: ['float32', [2], ['3dcccccd', 'nan']],
      id: ['int64', [], ['9223372036854775807']],
      flag: ['bool', [], [Buffer.of(1).toString('base64')]],
      text: ['string', [], text('größe')],
      words: ['string', [2], text('a', 'b')],
      image: ['uint8', [2, 1], [Buffer.of(1, 2).toString('base64')]],
    },
    {
      x: ['float32', [2], ['ff800000', '80000000']],
      id: ['int64', [], ['-1']],
      flag: ['bool', [], [Buffer.of(0).toString('base64')]],
      text: ['string', [], text('')],
      words: ['string', [2], text('c', 'd')],
      image: ['uint8', [2, 1], [Buffer.of(3, 255).toString('base64')]],
    },
  ])
})

it('takes the bytes of an array as base64', async () => {
  const data = Int16Array.of(-1, 2, 3, -32768, 5, 6)
  const packed = sourceOf({ x: { dtype: 'int16', shape: [3, 2], base64: base64(data) } })
  const nested = sourceOf({
    x: {
      dtype: 'int16',
      values: [
        [-1, 2],
        [3, -32768],
        [5, 6],
      ],
    },
  })
  const [pin] = await tensors.pin(packed, desk.context)
  const [other] = await tensors.pin(nested, desk.context)
  if (!pin || !other) throw new Error('no pin')
  expect(pin.etag).not.toBe(other.etag)
  expect(await readAll(tensors, pin, packed, desk.context)).toEqual(await readAll(tensors, other, nested, desk.context))
  const [last] = await tensors.read(pin, await tensors.index(pin, packed, desk.context), packed, [2], desk.context)
  expect(last?.x).toEqual({ dtype: 'int16', shape: [2], data: Int16Array.of(5, 6) })
  const failure = await failureOf(async () =>
    tensors.read(pin, await tensors.index(pin, packed, desk.context), packed, [3], desk.context),
  )
  expect(failure.code).toBe('STK_RECORD_UNKNOWN')
})

it('is checked with the spec', () => {
  const checked = checkPipeline(
    pipeline(sourceOf({ x: { dtype: 'float32', values: [[1, 2]] }, label: { dtype: 'int64', values: [1] } }))
      .batch(1)
      .toJSON(),
  )
  expect(checked.recordSignature).toEqual({ x: { dtype: 'float32', shape: [2] }, label: { dtype: 'int64', shape: [] } })
})

it.each<[string, Record<string, InlineTensor>, string]>([
  ['ragged rows', { x: { dtype: 'int32', values: [[1, 2], [3]] } }, 'tensor "x": it is ragged'],
  ['a list among numbers', { x: { dtype: 'int32', values: [1, [2]] } }, 'tensor "x": it is ragged'],
  ['a number among lists', { x: { dtype: 'int32', values: [[1], 2] } }, 'tensor "x": it is ragged'],
  ['null', { x: { dtype: 'int32', values: [null] } }, 'tensor "x": null is no value'],
  ['a fraction', { x: { dtype: 'int32', values: [1.5] } }, '1.5 is no int32'],
  ['a number out of range', { x: { dtype: 'uint8', values: [256] } }, '256 is no uint8'],
  ['a rounded number', { x: { dtype: 'int64', values: [2 ** 53] } }, 'is no int64'],
  [
    'rows that differ',
    { x: { dtype: 'int32', values: [1] }, y: { dtype: 'int32', values: [1, 2] } },
    'tensor "y": it has 2 rows where "x" has 1',
  ],
  ['too few bytes', { x: { dtype: 'int32', shape: [2], base64: 'AAAA' } }, 'int32[2] takes 8 bytes, and there are 3'],
  ['no base64', { x: { dtype: 'int32', shape: [1], base64: '&&&&' } }, 'it is no base64'],
  ['a bool of 2', { x: { dtype: 'bool', shape: [1], base64: 'Ag==' } }, 'a bool is a byte of 0 or 1'],
  [
    'too much',
    {
      x: { dtype: 'uint8', shape: [1 << 20], base64: base64(new Uint8Array(1 << 20)) },
      y: { dtype: 'bool', values: [true] },
    },
    'take more than 1048576 bytes',
  ],
])('refuses %s', (_name, fields, message) => {
  try {
    checkPipeline(
      pipeline(sourceOf(fields) as Source)
        .batch(1)
        .toJSON(),
    )
  } catch (error) {
    if (!(error instanceof StokerError)) throw error
    expect(error.message).toContain(message)
    expect(error.place?.field).toMatch(/^[xy]$/)
    return
  }
  throw new Error('it did not fail')
})
