import type { Tensor } from '@stoker/formats'
import type { Stage } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { compileStages } from '../src/compile.js'
import { failureOf, golden } from './support.js'

interface Case {
  op: string
  dtype: 'uint8' | 'float32'
  key: number
  seed: number | null
  shape: number[]
  outputType: 'uint8' | 'float32'
  output: string
}
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))
const [input, ...cases] = golden<Case[]>('augment.json')
const pixels = bytes(input!.output)
const image = (dtype: Case['dtype']): Tensor => ({
  dtype,
  shape: input!.shape,
  data: dtype === 'uint8' ? pixels : Float32Array.from(pixels, (value) => Math.fround(value / 255)),
})
const run = (stage: object, key: number, i = image('uint8')) =>
  (compileStages([stage as Stage])({ i }, { key }) as { i: Tensor }).i

const byOp = grouped(cases)
function grouped(all: readonly Case[]): Map<string, Case[]> {
  const groups = new Map<string, Case[]>()
  for (const one of all) groups.set(one.op, [...(groups.get(one.op) ?? []), one])
  return groups
}

describe('what is drawn for a key, handed to TensorFlow, gives the same pixels:', () => {
  it.each([...byOp])('%s', (op, own) => {
    for (const { dtype, key, seed, shape, outputType, output, ...params } of own) {
      const stage = { ...params, op, field: 'i', ...(seed === null ? {} : { seed }) }
      const made = run(stage, key, image(dtype))
      const where = `${op} of ${dtype} for key ${key}`
      expect([made.dtype, made.shape], where).toEqual([outputType, shape])
      if (outputType === 'uint8') expect(made.data, where).toEqual(bytes(output))
      else {
        const wanted = new Float32Array(bytes(output).buffer)
        const most = dtype === 'uint8' ? 255 : 1
        for (const [at, value] of wanted.entries()) {
          expect(Math.abs((made.data as Float32Array)[at]! - value) / most, where).toBeLessThan(1e-6)
        }
      }
    }
  })
})

it('draws anew for each op of a chain, and for each seed, from one key', () => {
  const shift = { op: 'randomBrightness', field: 'i', maxDelta: 0.3 } as const
  const grey: Tensor = { dtype: 'float32', shape: [1, 1, 3], data: Float32Array.of(0.5, 0.5, 0.5) }
  const value = (stages: Stage[], salt = 0) => {
    const made = compileStages(stages, salt)({ i: grey }, { key: 11 }) as { i: Tensor }
    return (made.i.data as Float32Array)[0]! - 0.5
  }
  const first = value([shift])
  const second = value([shift, shift]) - first
  const values = [first, second, value([{ ...shift, seed: 1 }]), value([{ ...shift, seed: 2 }]), value([shift], 1)]
  expect(new Set(values.map((one) => one.toFixed(5))).size).toBe(values.length)
  expect(value([shift])).toBe(first)
})

it('says that an image is too small to be cropped', async () => {
  const failure = await failureOf(() => run({ op: 'randomCrop', field: 'i', size: [8, 4] }, 1))
  expect(failure).toMatchObject({ code: 'STK_OPS_SHAPE', place: { op: 'randomCrop', field: 'i' } })
  expect(failure.message).toContain('7 x 9, smaller than 8 x 4')
})

it('leaves the image it is given as it was', () => {
  const before = pixels.slice()
  for (const [op, own] of byOp) {
    const { dtype: _, key, seed: __, shape: ___, outputType: ____, output: _____, ...params } = own[0]!
    run({ ...params, op, field: 'i' }, key)
  }
  expect(pixels).toEqual(before)
})
