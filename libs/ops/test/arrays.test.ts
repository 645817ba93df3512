import type { RecordFields, Tensor } from '@stoker/formats'
import { opDeclaration, type Signature, type Stage } from '@stoker/spec'
import { expect, it } from 'vitest'
import { compileStages } from '../src/compile.js'
import { failureOf, golden } from './support.js'

interface Floats {
  shape: number[]
  data: string
}
interface Arrays {
  indices: number[]
  oneHot: number[][]
  oneHotOnOff: number[][]
  concat: Floats
  concat0: Floats
  stack: Floats
  stackLast: Floats
  clipInput: string
  clip: string
  log1pInput: string
  log1p: string
}
const values = golden<Arrays>('arrays.json')
const floatsOf = (base64: string) => new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)
const tensor = ({ shape, data }: Floats): Tensor => ({ dtype: 'float32', shape, data: floatsOf(data) })
const vector = (data: Float32Array): Tensor => ({ dtype: 'float32', shape: [data.length], data })
const run = (stage: Stage, record: RecordFields) => compileStages([stage])(record, { key: 0 }) as RecordFields
const grid: Tensor = { dtype: 'float32', shape: [2, 3, 4], data: Float32Array.from({ length: 24 }, (_, at) => at) }
const doubled: Tensor = { ...grid, data: (grid.data as Float32Array).map((value) => value * 2) }
const other: Tensor = { dtype: 'float32', shape: [2, 3, 2], data: Float32Array.from({ length: 12 }, (_, at) => -at) }
const text = (...words: string[]): RecordFields[string] => ({
  dtype: 'string',
  shape: [words.length],
  data: words.map((word) => new TextEncoder().encode(word)),
})

/** What the declaration says of the result, given the shapes of the input. */
function declared(stage: Stage, record: RecordFields): Signature {
  const { op, ...params } = stage
  const signature = Object.fromEntries(
    Object.entries(record).map(([name, { dtype, shape }]) => [name, { dtype, shape }]),
  )
  return opDeclaration(op)!.infer(signature, params as never)
}

/** Runs a stage and checks that what comes out is what its declaration says. */
function checked(stage: Stage, record: RecordFields): RecordFields {
  const made = run(stage, record)
  const shapes = Object.fromEntries(Object.entries(made).map(([name, { dtype, shape }]) => [name, { dtype, shape }]))
  expect(shapes).toEqual(declared(stage, record))
  return made
}

it('oneHot as tf.one_hot, also for numbers outside', () => {
  const c: Tensor = { dtype: 'int32', shape: [6], data: Int32Array.from(values.indices) }
  expect([...(checked({ op: 'oneHot', field: 'c', depth: 4 }, { c }).c!.data as Float32Array)]).toEqual(
    values.oneHot.flat(),
  )
  const options = { onValue: 5, offValue: -1, dtype: 'int32' } as const
  const made = checked({ op: 'oneHot', field: 'c', depth: 3, ...options }, { c }).c!
  expect(made.data).toEqual(Int32Array.from(values.oneHotOnOff.flat()))
  const big: Tensor = { dtype: 'int64', shape: [], data: BigInt64Array.of(2n) }
  expect(checked({ op: 'oneHot', field: 'c', depth: 3, dtype: 'int64' }, { c: big }).c).toEqual({
    dtype: 'int64',
    shape: [3],
    data: BigInt64Array.of(0n, 0n, 1n),
  })
  expect(() => declared({ op: 'oneHot', field: 'c', depth: 3 }, { c: grid })).toThrow('needs c as whole numbers')
})

it('concat and stack as in TensorFlow', () => {
  const record = { a: grid, b: other, c: doubled, keep: grid }
  const joined = (op: 'concat' | 'stack', fields: string[], axis: number) =>
    checked({ op, fields, into: 'out', axis, keep: true }, record).out
  expect(joined('concat', ['a', 'b'], -1)).toEqual(tensor(values.concat))
  expect(joined('concat', ['a', 'c'], 0)).toEqual(tensor(values.concat0))
  expect(joined('stack', ['a', 'c'], 1)).toEqual(tensor(values.stack))
  expect(joined('stack', ['a', 'c'], -1)).toEqual(tensor(values.stackLast))
})

it('makes a vector of columns, in the place of one of them or beside them', () => {
  const scalar = (value: number): Tensor => ({ dtype: 'float32', shape: [], data: Float32Array.of(value) })
  const record = { x: scalar(1), y: vector(Float32Array.of(2, 3)), z: scalar(4), label: scalar(0) }
  const made = checked({ op: 'concat', fields: ['x', 'y', 'z'], into: 'x' }, record)
  expect(made).toEqual({ label: scalar(0), x: vector(Float32Array.of(1, 2, 3, 4)) })
  expect(Object.keys(checked({ op: 'stack', fields: ['x', 'z'], into: 'f', keep: true }, record))).toEqual([
    ...Object.keys(record),
    'f',
  ])
})

it('joins, reshapes and renames text too', () => {
  const record = { a: text('x', 'y'), b: text('z') }
  expect(checked({ op: 'concat', fields: ['a', 'b'], into: 'c' }, record)).toEqual({ c: text('x', 'y', 'z') })
  expect(checked({ op: 'reshape', field: 'b', shape: [] }, record).b).toMatchObject({
    shape: [],
    data: text('z').data[0],
  })
  expect(checked({ op: 'expandDims', field: 'a', axis: 0 }, record).a).toMatchObject({ shape: [1, 2] })
})

it('reshapes, and finds the open dimension', async () => {
  expect(checked({ op: 'reshape', field: 'a', shape: [4, -1] }, { a: grid }).a).toEqual({ ...grid, shape: [4, 6] })
  expect(() => declared({ op: 'reshape', field: 'a', shape: [5, -1] }, { a: grid })).toThrow('does not fit [5,-1]')
  expect(() => declared({ op: 'reshape', field: 'a', shape: [-1, -1] }, { a: grid })).toThrow('only one dimension')
  expect(await failureOf(() => run({ op: 'reshape', field: 'a', shape: [5] }, { a: grid }))).toMatchObject({
    code: 'STK_OPS_SHAPE',
    place: { op: 'reshape', field: 'a' },
  })
})

it('adds and removes dimensions of size 1', async () => {
  const one: Tensor = { ...grid, shape: [1, 24, 1] }
  expect(checked({ op: 'expandDims', field: 'a', axis: -1 }, { a: grid }).a!.shape).toEqual([2, 3, 4, 1])
  expect(checked({ op: 'squeeze', field: 'a' }, { a: one }).a!.shape).toEqual([24])
  expect(checked({ op: 'squeeze', field: 'a', axis: [-1] }, { a: one }).a!.shape).toEqual([1, 24])
  expect(() => declared({ op: 'squeeze', field: 'a', axis: [1] }, { a: one })).toThrow('does not have size 1')
  expect(await failureOf(() => run({ op: 'squeeze', field: 'a', axis: [1] }, { a: one }))).toMatchObject({
    code: 'STK_OPS_SHAPE',
  })
  const unknown = { a: { dtype: 'float32', shape: [null, 1] } } as const
  expect(() => opDeclaration('squeeze')!.infer(unknown, { field: 'a' } as never)).toThrow('say by axis')
})

it('selects, drops and renames fields, two names swapped at once', async () => {
  const record = { a: grid, b: other, c: doubled }
  expect(checked({ op: 'select', fields: ['c', 'a'] }, record)).toEqual({ c: doubled, a: grid })
  expect(checked({ op: 'drop', fields: ['b'] }, record)).toEqual({ a: grid, c: doubled })
  expect(checked({ op: 'rename', names: { a: 'b', b: 'a' } }, record)).toEqual({ b: grid, a: other, c: doubled })
  expect(() => declared({ op: 'rename', names: { a: 'c' } }, record)).toThrow('two fields named "c"')
  expect(() => declared({ op: 'select', fields: ['x'] }, record)).toThrow('there are: a, b, c')
  expect(await failureOf(() => run({ op: 'select', fields: ['x'] }, record))).toMatchObject({
    code: 'STK_OPS_FIELD',
    place: { op: 'select', field: 'x' },
  })
})

it('refuses to join what does not fit, at submission where shapes are known and else by record', async () => {
  const record = { a: grid, b: other, i: { dtype: 'int32', shape: [1], data: Int32Array.of(1) } as Tensor }
  expect(() => declared({ op: 'concat', fields: ['a', 'b'], into: 'o' }, record)).toThrow('"b" has the shape [2,3,2]')
  expect(() => declared({ op: 'stack', fields: ['a', 'b'], into: 'o' }, record)).toThrow('not [2,3,4]')
  expect(() => declared({ op: 'concat', fields: ['a', 'i'], into: 'o' }, record)).toThrow('needs i as float32 like "a"')
  expect(await failureOf(() => run({ op: 'stack', fields: ['a', 'b'], into: 'o' }, record))).toMatchObject({
    code: 'STK_OPS_SHAPE',
    place: { op: 'stack', field: 'b' },
  })
})

it('clips as tf.clip_by_value, NaN and infinities included', () => {
  const stage = { op: 'clipByValue', field: 'a', clipValueMin: -1, clipValueMax: 0.3 } as const
  expect(checked(stage, { a: vector(floatsOf(values.clipInput)) }).a!.data).toEqual(floatsOf(values.clip))
  const ids: Tensor = { dtype: 'int64', shape: [3], data: BigInt64Array.of(-5n, 2n ** 60n, 3n) }
  expect(run({ ...stage, clipValueMax: 7 }, { a: ids }).a!.data).toEqual(BigInt64Array.of(-1n, 7n, 3n))
})

it('log1p comes within one part in ten million of TensorFlow', () => {
  const made = checked({ op: 'log1p', field: 'a' }, { a: vector(floatsOf(values.log1pInput)) }).a!.data as Float32Array
  for (const [at, wanted] of floatsOf(values.log1p).entries()) {
    expect(Math.abs(made[at]! - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 1.2e-7)
  }
})
