import type { Tensor, TypedArray } from '@stoker/formats'
import type { DType } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { ARRAYS, castTensor } from '../src/cast.js'
import { scaleTensor } from '../src/scale.js'
import { golden } from './support.js'

type Row = { from: DType; to: DType; input: string[]; output: string[]; differsAlone: number[] }

function read(dtype: DType, spelled: readonly string[]): Tensor {
  const data = new ARRAYS[dtype](spelled.length)
  const view = new DataView(data.buffer)
  for (const [at, text] of spelled.entries()) {
    if (dtype === 'float32') view.setUint32(4 * at, Number.parseInt(text, 16), true)
    else if (dtype === 'float64') view.setBigUint64(8 * at, BigInt(`0x${text}`), true)
    else if (data instanceof BigInt64Array) data[at] = BigInt(text)
    else data[at] = Number(text)
  }
  return { dtype, shape: [spelled.length], data }
}

function spell(data: TypedArray): string[] {
  if (data instanceof Float32Array) {
    return Array.from(new Uint32Array(data.buffer), (bits) => bits.toString(16).padStart(8, '0'))
  }
  if (data instanceof Float64Array) {
    return Array.from(new BigUint64Array(data.buffer), (bits) => bits.toString(16).padStart(16, '0'))
  }
  return Array.from(data as Uint8Array, String)
}

const BITS: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 256],
  int8: [-129, 128],
  uint16: [0, 65_536],
  int16: [-32_769, 32_768],
}

/**
 * Elements for which TensorFlow has one answer. Left out: floats beyond an 8 or 16 bit type, whose result depends on the
 * element's place in a vector loop, and subnormal floats, which its threads flush to zero.
 */
function isSettled({ from, to, input }: Row, at: number): boolean {
  if (!from.startsWith('float')) return true
  const value = Number(read(from, [input[at]!]).data[0])
  if (value !== 0 && Math.abs(value) < 1.2e-38) return false
  const range = BITS[to]
  return !range || (Math.trunc(value) >= range[0] && Math.trunc(value) < range[1] && !(range[0] === 0 && value <= -1))
}

describe('cast equals tf.cast', () => {
  it.each(golden<Row[]>('cast.json'))('$from to $to', (row) => {
    const cast = castTensor(read(row.from, row.input), row.to)
    expect(cast.dtype).toBe(row.to)
    const settled = row.input.map((_, at) => at).filter((at) => isSettled(row, at))
    expect(settled.length).toBeGreaterThan(1)
    const ours = spell(cast.data)
    const isNan = (text: string) => /^[7f]f[cf8-f]/.test(text) && row.to.startsWith('float')
    for (const at of settled) {
      if (isNan(row.output[at]!)) continue
      expect(`${row.input[at]} -> ${ours[at]}`).toBe(`${row.input[at]} -> ${row.output[at]}`)
    }
  })
})

it('saturates floats beyond 8 and 16 bits, and makes NaN 0', () => {
  const data = Float32Array.of(-1, 255.9, 256, 1e20, -Infinity, Number.NaN)
  const tensor: Tensor = { dtype: 'float32', shape: [6], data }
  expect(castTensor(tensor, 'uint8').data).toEqual(Uint8Array.of(0, 255, 255, 255, 0, 0))
  expect(castTensor(tensor, 'int16').data).toEqual(Int16Array.of(-1, 255, 256, 32_767, -32_768, 0))
})

it('keeps labels beyond 2^24 exact from int64 to int32', () => {
  const labels = [16_777_216, 16_777_217, 17_378_479, 33_554_433, 2_147_483_647]
  const tensor: Tensor = { dtype: 'int64', shape: [5], data: BigInt64Array.from(labels, BigInt) }
  expect([...(castTensor(tensor, 'int32').data as Int32Array)]).toEqual(labels)
})

it('rounds int64 to float32 once', () => {
  // 2^53 + 2^29 + 1 lies just above the middle of two float32: through a double it would fall on the middle and go down.
  const tensor: Tensor = {
    dtype: 'int64',
    shape: [2],
    data: BigInt64Array.of(2n ** 53n + 2n ** 29n + 1n, -(2n ** 63n)),
  }
  expect([...(castTensor(tensor, 'float32').data as Float32Array)]).toEqual([2 ** 53 + 2 ** 30, -(2 ** 63)])
})

it('scales in the arithmetic of its own type', () => {
  const pixels = Float32Array.from({ length: 256 }, (_, value) => value)
  const scaled = scaleTensor({ dtype: 'float32', shape: [256], data: pixels }, 1 / 255, -0.5)
  const by = Math.fround(1 / 255)
  expect(scaled.data).toEqual(pixels.map((value) => Math.fround(Math.fround(value * by) - 0.5)))
  const wide = scaleTensor({ dtype: 'float64', shape: [1], data: Float64Array.of(3) }, 1 / 3, 0.1)
  expect(wide.data).toEqual(Float64Array.of(3 * (1 / 3) + 0.1))
})
