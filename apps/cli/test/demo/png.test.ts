import sharp from 'sharp'
import { expect, it } from 'vitest'
import { encodeGreyPng } from '../../src/demo/png.js'

it('writes a PNG that another decoder reads back pixel by pixel', async () => {
  const [width, height] = [5, 3]
  const pixels = Uint8Array.from({ length: width * height }, (_, at) => (at * 37) % 256)
  const { data, info } = await sharp(encodeGreyPng(pixels, width, height))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect(info).toMatchObject({ width, height })
  const first = Array.from(pixels, (_, at) => data[at * info.channels])
  expect(first).toEqual([...pixels])
})
