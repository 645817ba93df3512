import type { RecordFields, StringTensor, Tensor } from '@stoker/formats'
import { expect, it } from 'vitest'
import { fieldView, summaryOf } from '../../src/inspect/field-view.js'

const tensor = (dtype: Tensor['dtype'], data: Tensor['data'], shape: number[] = [data.length]): Tensor => ({
  ...{ dtype, shape, data },
})
const bytes = (...values: number[]): RecordFields[string] => ({
  dtype: 'string',
  shape: [],
  data: Uint8Array.from(values),
})

it('keeps every digit of an int64', () => {
  const field = tensor('int64', BigInt64Array.of(9007199254740993n, -1n))
  expect(fieldView(field)).toMatchObject({ dtype: 'int64', shape: [2], values: ['9007199254740993', '-1'], bytes: 16 })
  expect(fieldView(field)).not.toHaveProperty('special')
})

it('makes nothing null: NaN, infinities and -0 stand as texts, and are flagged', () => {
  const field = tensor(
    'float32',
    Float32Array.of(1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0),
  )
  const view = fieldView(field)
  expect(view).toMatchObject({ values: [1.5, 'NaN', 'Infinity', '-Infinity', '-0'], special: true })
  expect(JSON.stringify(view)).not.toContain('null')
})

it('gives byte strings as UTF-8 where all of a field are text, else as base64', () => {
  expect(fieldView(bytes(...Buffer.from('é\n')))).toMatchObject({ values: ['é\n'], encoding: 'utf8' })
  expect(fieldView(bytes(0xff, 0xd8))).toMatchObject({ values: ['/9g='], encoding: 'base64' })
  expect(fieldView(bytes(1, 65))).toMatchObject({ values: ['AUE='], encoding: 'base64' })
  expect(fieldView(bytes())).toMatchObject({ values: [''], encoding: 'utf8', bytes: 0 })
  const list: StringTensor = { dtype: 'string', shape: [2], data: [Buffer.from('a'), Uint8Array.of(0xff)] }
  expect(fieldView(list)).toMatchObject({ values: ['YQ==', '/w=='], encoding: 'base64', bytes: 2 })
})

it('gives a hash of the little-endian bytes, alone where there are many values', () => {
  // printf '\001\000\002\000' | sha256sum
  const few = fieldView(tensor('uint16', Uint16Array.of(1, 2)))
  expect(few.sha256).toBe('7b11c1133330cd161071bf23a0c9b6ce5320a8f3a0f83620035a72be46df4104')
  const many = fieldView(tensor('uint8', new Uint8Array(1000)))
  expect(many).not.toHaveProperty('values')
  expect(many.sha256).toBe('541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53')
  const view = tensor('uint8', Uint8Array.of(9, 1, 2).subarray(1))
  expect(fieldView(view).sha256).toBe(fieldView(tensor('uint8', Uint8Array.of(1, 2))).sha256)
})

it('sums up the finite numbers', () => {
  expect(summaryOf({ data: Float32Array.of(1, 3, Number.NaN) })).toEqual({ min: 1, max: 3, mean: 2, finite: 2 })
  expect(summaryOf({ data: BigInt64Array.of(-5n, 5n) })).toEqual({ min: -5, max: 5, mean: 0, finite: 2 })
  expect(summaryOf({ data: new Float32Array(0) })).toBeUndefined()
})
