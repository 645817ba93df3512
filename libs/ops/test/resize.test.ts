import type { Tensor } from '@stoker/formats'
import { describe, expect, it } from 'vitest'
import { ARRAYS } from '../src/cast.js'
import { decodeImage } from '../src/image/decode.js'
import { resizeBilinear } from '../src/resize.js'
import { caseOf, failureOf, fixture, golden, sha256 } from './support.js'

type Row = {
  dtype: 'uint8' | 'float32' | 'int32'
  shape: number[]
  input: string | null
  file: string | null
  size: [number, number]
  sha256: string
}

function tensor(dtype: Row['dtype'], shape: readonly number[], bytes: Buffer): Tensor {
  const { buffer } = new Uint8Array(bytes)
  return { dtype, shape, data: new ARRAYS[dtype](buffer as unknown as number) }
}

describe('resize equals TensorFlow in every bit', () => {
  it.each(golden<Row[]>('resize.json'))(
    '$dtype $shape to $size',
    ({ dtype, shape, input, file, size, sha256: want }) => {
      const bytes = input === null ? fixture(`golden/${file}`) : Buffer.from(input, 'base64')
      const resized = resizeBilinear(tensor(dtype, shape, bytes), size)
      expect(resized).toMatchObject({ dtype: 'float32', shape: [...size, shape[2]] })
      expect(sha256(resized)).toBe(want)
    },
  )

  it.each(golden<{ file: string; resize224: string }[]>('photos.json'))(
    '$file to 224 x 224',
    async ({ file, resize224 }) => {
      const image = await decodeImage(fixture(`photos/${file}`), { channels: 3 })
      expect(sha256(resizeBilinear(image, [224, 224]))).toBe(resize224)
    },
  )

  it('the cases met by other people', () => {
    for (const { input, size, sha256: want } of caseOf('resize-h').expected.cases) {
      expect(sha256(resizeBilinear(tensor(input.dtype, input.shape, fixture(`cases/${input.file}`)), size))).toBe(want)
    }
  })

  it.each([
    'img-cmyk-h',
    'img-cmyk-h2',
    'img-rgbjpeg-h',
    'img-png16-h',
    'img-exif-h',
    'img-trunc-h2',
    'img-gray-h',
    'img-dct-h',
    'img-pngpal-h',
    'img-pngpal-h2',
    'img-mislabel-h',
  ])('%s, decoded and resized', async (id) => {
    const { file, expected } = caseOf(id)
    const image = await decodeImage(fixture(`cases/${[file].flat()[0]}`), { channels: 3 })
    for (const { size, sha256: want } of expected.resize) expect(sha256(resizeBilinear(image, size))).toBe(want)
  })
})

describe('pixels for the wire', () => {
  it('are the exact values rounded to the nearest whole number', async () => {
    const image = await decodeImage(fixture('photos/cat/cat-0.jpg'), { channels: 3 })
    const exact = resizeBilinear(image, [97, 131]).data as Float32Array
    const rounded = resizeBilinear(image, [97, 131], 'uint8')
    expect(rounded.dtype).toBe('uint8')
    expect(rounded.data).toEqual(Uint8Array.from(exact, (value) => Math.floor(value + 0.5)))
  })

  it('stay within 0 and 255 where the input does not', () => {
    const image: Tensor = { dtype: 'float32', shape: [1, 4, 1], data: Float32Array.of(-5, 0.49, 254.5, 300) }
    expect(resizeBilinear(image, [1, 4], 'uint8').data).toEqual(Uint8Array.of(0, 0, 255, 255))
  })

  it('are written into a slice that is given', () => {
    const image: Tensor = { dtype: 'uint8', shape: [1, 2, 1], data: Uint8Array.of(10, 20) }
    const batch = new Uint8Array(6)
    resizeBilinear(image, [1, 4], 'uint8', batch.subarray(1, 5))
    expect(batch).toEqual(Uint8Array.of(0, 10, 13, 18, 20, 0))
    expect(() => resizeBilinear(image, [1, 4], 'uint8', batch)).toThrow('uint8[4]')
  })
})

it('refuses what is no image', async () => {
  const flat: Tensor = { dtype: 'uint8', shape: [4], data: new Uint8Array(4) }
  expect((await failureOf(() => resizeBilinear(flat, [2, 2]))).code).toBe('STK_OPS_FIELD')
  const empty: Tensor = { dtype: 'uint8', shape: [0, 4, 1], data: new Uint8Array(0) }
  expect((await failureOf(() => resizeBilinear(empty, [2, 2]))).code).toBe('STK_OPS_FIELD')
})
