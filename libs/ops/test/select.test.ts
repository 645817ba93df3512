import type { RecordFields } from '@stoker/formats'
import type { Stage } from '@stoker/spec'
import { expect, it } from 'vitest'
import { compileExpand } from '../src/compile.js'
import { failureOf } from './support.js'

const bytes = (text: string) => ({ dtype: 'string', shape: [], data: Buffer.from(text) }) as const
const whole = (...values: bigint[]) =>
  ({ dtype: 'int64', shape: values.length === 1 ? [] : [values.length], data: BigInt64Array.from(values) }) as const
const real = (...values: number[]) =>
  ({ dtype: 'float32', shape: [values.length], data: Float32Array.from(values) }) as const

const keeps = async (tests: object, value: RecordFields[string]) => {
  const stage = { op: 'filter', field: 'x', ...tests } as Stage
  return (await compileExpand([stage])({ x: value })).length === 1
}

it('compares whole numbers exactly beyond 2^53', async () => {
  const big = whole(9007199254740993n)
  expect(await keeps({ equals: '9007199254740993' }, big)).toBe(true)
  expect(await keeps({ equals: '9007199254740992' }, big)).toBe(false)
  expect(await keeps({ greaterThan: '9007199254740992' }, big)).toBe(true)
  expect(await keeps({ in: ['1', '9007199254740993'] }, big)).toBe(true)
  expect(await keeps({ notIn: [1, 2] }, whole(2n))).toBe(false)
})

it('takes all tests together, over all elements or any', async () => {
  expect(await keeps({ atLeast: 1, lessThan: 3 }, real(1, 2))).toBe(true)
  expect(await keeps({ atLeast: 1, lessThan: 3 }, real(1, 3))).toBe(false)
  expect(await keeps({ atLeast: 1, lessThan: 3, elements: 'any' }, real(5, 2))).toBe(true)
  expect(await keeps({ isFinite: true }, real(1, Number.NaN))).toBe(false)
  expect(await keeps({ isFinite: false, elements: 'any' }, real(1, Number.NaN))).toBe(true)
})

it('lets NaN pass no comparison but unequal', async () => {
  const nan = real(Number.NaN)
  expect(await keeps({ equals: 1 }, nan)).toBe(false)
  expect(await keeps({ atMost: 1 }, nan)).toBe(false)
  expect(await keeps({ notEquals: 1 }, nan)).toBe(true)
})

it('compares text by its UTF-8 bytes and lengths in bytes', async () => {
  expect(await keeps({ equals: 'né' }, bytes('né'))).toBe(true)
  expect(await keeps({ in: ['a', 'né'] }, bytes('b'))).toBe(false)
  expect(await keeps({ minLength: 3, maxLength: 3 }, bytes('né'))).toBe(true)
  expect(await failureOf(() => keeps({ equals: 3 }, bytes('3')))).toMatchObject({
    code: 'STK_OPS_FILTER_VALUE',
    place: { op: 'filter', field: 'x' },
  })
})

it('splits along the first dimension, text too, and runs what comes before', async () => {
  const record = { x: { dtype: 'float32', shape: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) } } as const
  const expand = compileExpand([{ op: 'scale', field: 'x', factor: 2 }, { op: 'unbatch' }])
  const rows = await expand(record)
  expect(rows.map(({ x }) => [x!.shape, [...(x!.data as Float32Array)]])).toEqual([
    [[2], [2, 4]],
    [[2], [6, 8]],
    [[2], [10, 12]],
  ])
  const words = { w: { dtype: 'string', shape: [2], data: [Buffer.from('a'), Buffer.from('b')] } } as const
  expect((await compileExpand([{ op: 'unbatch' }])(words)).map(({ w }) => String(w!.data))).toEqual(['a', 'b'])
  const uneven = { ...words, x: whole(1n, 2n, 3n) }
  expect(await failureOf(() => compileExpand([{ op: 'unbatch' }])(uneven))).toMatchObject({
    code: 'STK_OPS_UNBATCH_ROWS',
  })
})
