import type { RecordFields, Tensor } from '@stoker/formats'
import type { Stage } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { ARRAYS } from '../src/cast.js'
import { compileStages } from '../src/compile.js'
import { failureOf, fixture, golden, sha256 } from './support.js'

interface Case {
  readonly op: string
  readonly params: Record<string, unknown>
  readonly input: string
  readonly dtype: Tensor['dtype']
  readonly shape: number[]
  readonly output?: string
  readonly sha256?: string
}

function arrayOf(dtype: Tensor['dtype'], bytes: Buffer): Tensor['data'] {
  const { buffer } = new Uint8Array(bytes)
  return new ARRAYS[dtype](buffer as unknown as number)
}

const inputs =
  golden<Record<string, { dtype: Tensor['dtype']; shape: number[]; data: string }>>('image-ops-inputs.json')

function inputOf(name: string): Tensor {
  const small = inputs[name]
  if (small) return { ...small, data: arrayOf(small.dtype, Buffer.from(small.data, 'base64')) }
  const [shape = '', dtype] = name.split('.') as [string, Tensor['dtype']]
  return { dtype, shape: shape.split('x').map(Number), data: arrayOf(dtype, fixture(`golden/resize/${name}`)) }
}

/** Runs an op as a chain does, and checks that it left its input alone. */
function run(op: string, params: object, input: Tensor): Tensor {
  const before = sha256(input)
  const stage = { op, field: 'x', ...params } as Stage
  const made = compileStages([stage])({ x: input }, { key: 0 }) as RecordFields
  expect(sha256(input)).toBe(before)
  return made.x as Tensor
}

/** Largest difference allowed, as measured, relative to the largest value; every op not named here is equal in every bit. */
const TOLERANCES: Record<string, number> = {
  // Powers and sines of float32 differ in the last place between C libraries.
  adjustGamma: 3e-7,
  'resize lanczos3': 3e-7,
  'resize lanczos5': 3e-7,
  // TensorFlow adds up in float32, in an order that depends on its threads.
  perImageStandardization: 1e-6,
}
const kindOf = ({ op, params }: Case): string => (op === 'resize' ? `resize ${params.method ?? 'bilinear'}` : op)

const cases = golden<Case[]>('image-ops.json')
const kinds = [...new Set(cases.map(kindOf))]

describe('image ops equal TensorFlow', () => {
  it.each(kinds)('%s', (kind) => {
    for (const one of cases.filter((each) => kindOf(each) === kind)) {
      const { op, params, input, dtype, shape, output = '' } = one
      const made = run(op, params, inputOf(input))
      const what = `${JSON.stringify(params)} of ${input}`
      expect({ dtype: made.dtype, shape: made.shape }, what).toEqual({ dtype, shape })
      const wanted = arrayOf(dtype, Buffer.from(output, 'base64'))
      const tolerance = dtype === 'float32' ? (TOLERANCES[kind] ?? 0) : 0
      if (tolerance === 0) expect(made.data, what).toEqual(wanted)
      else expect(difference(made.data, wanted), what).toBeLessThanOrEqual(tolerance)
    }
  })

  it('on larger images, too', () => {
    for (const { op, params, input, sha256: want, ...row } of golden<(Case & { mean?: number })[]>(
      'image-ops-large.json',
    )) {
      const made = run(op, params, inputOf(input))
      expect({ dtype: made.dtype, shape: made.shape }).toEqual({ dtype: row.dtype, shape: row.shape })
      const isExact = row.dtype !== 'float32' || !TOLERANCES[kindOf({ op, params, input, ...row })]
      if (isExact) expect(sha256(made), `${op} ${JSON.stringify(params)} of ${input}`).toBe(want)
      else if (row.mean !== undefined) expect(meanOf(made)).toBeCloseTo(row.mean, 4)
    }
  })
})

/** Largest difference relative to the largest finite value; NaN must stand where NaN is wanted. */
function difference(made: Tensor['data'], wanted: Tensor['data']): number {
  const values = [...(wanted as Float32Array)]
  const scale = Math.max(1, ...values.filter(Number.isFinite).map(Math.abs))
  const parts = values.map((value, at) => {
    const other = made[at] as number
    return Number.isNaN(value) && Number.isNaN(other) ? 0 : Math.abs(value - other) / scale
  })
  return parts.some(Number.isNaN) ? Number.POSITIVE_INFINITY : Math.max(...parts)
}

const meanOf = ({ data }: Tensor): number => {
  let sum = 0
  for (const value of data as Float32Array) sum += value
  return sum / data.length
}

describe('normalize', () => {
  const image: Tensor = { dtype: 'uint8', shape: [1, 2, 3], data: Uint8Array.of(0, 100, 255, 50, 128, 1) }

  it('takes a mean and a deviation for each channel, in the scale of the values', () => {
    const made = run('normalize', { mean: [10, 100, 0], std: [2, 4, 0.5] }, image)
    expect(made).toEqual({ dtype: 'float32', shape: [1, 2, 3], data: Float32Array.of(-5, 0, 510, 20, 7, 2) })
    expect([...(run('normalize', { mean: 0, std: 255 }, image).data as Float32Array)][2]).toBe(1)
  })

  it('refuses other numbers of channels', async () => {
    const error = await failureOf(() => run('normalize', { mean: [1, 2], std: 1 }, image))
    expect(error).toMatchObject({ code: 'STK_OPS_NORMALIZE_CHANNELS', place: { op: 'normalize', field: 'x' } })
  })
})

describe('what does not fit is an error with a code', () => {
  const image: Tensor = { dtype: 'uint8', shape: [2, 2, 3], data: new Uint8Array(12) }
  const wrong: readonly [op: string, params: object, code: string][] = [
    ['crop', { offset: [1, 0], size: [2, 2] }, 'STK_OPS_CROP'],
    ['pad', { top: 2, mode: 'reflect' }, 'STK_OPS_PAD_WIDE'],
    ['grayscaleToRgb', {}, 'STK_OPS_FIELD'],
    ['rgbToHsv', {}, 'STK_OPS_FIELD'],
  ]
  it.each(wrong)('%s %j', async (op, params, code) => {
    expect((await failureOf(() => run(op, params, image))).code).toBe(code)
  })
})

it('pads tensors of any rank, and int64 exactly', () => {
  const ids: Tensor = { dtype: 'int64', shape: [2], data: BigInt64Array.of(2n ** 60n, -1n) }
  expect(run('pad', { paddings: [[1, 2]], value: 7 }, ids).data).toEqual(BigInt64Array.of(7n, 2n ** 60n, -1n, 7n, 7n))
})

it('rounds a resize to pixels for the wire, where a method may be rounded', () => {
  const image = inputOf('rgb')
  for (const method of ['nearest', 'area', 'bilinear', 'gaussian']) {
    const exact = run('resize', { size: [7, 6], method }, image).data as Float32Array
    const rounded = run('resize', { size: [7, 6], method, out: 'uint8' }, image)
    expect(rounded).toEqual({
      dtype: 'uint8',
      shape: [7, 6, 3],
      data: Uint8Array.from(exact, (value) => Math.floor(value + 0.5)),
    })
  }
})
