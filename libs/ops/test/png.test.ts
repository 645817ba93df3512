import { describe, expect, it } from 'vitest'
import { decodeImage } from '../src/image/decode.js'
import { caseOf, failureOf, fixture, type GoldenImage, golden, summary } from './support.js'

type Row = { file: string; jpeg3: GoldenImage } & Record<'0' | '1' | '3' | '4', GoldenImage>

describe('PNG equals TensorFlow in every channel setting', () => {
  it.each(golden<Row[]>('png.json'))('$file', async (row) => {
    const bytes = fixture(`golden/${row.file}`)
    for (const channels of [0, 1, 3, 4] as const) {
      const { shape, sha256, error } = row[channels]
      if (error) {
        expect((await failureOf(() => decodeImage(bytes, { channels }))).code).toMatch(
          /^STK_IMAGE_(CORRUPT|TOO_LARGE)$/,
        )
      } else expect(summary(await decodeImage(bytes, { channels }))).toEqual({ shape, sha256 })
    }
  })
})

describe('cases met by other people', () => {
  it.each(['img-png16-h', 'img-pngpal-h', 'img-pngpal-h2'])('%s', async (id) => {
    const { file, expected } = caseOf(id)
    const image = await decodeImage(fixture(`cases/${file}`), { channels: 3 })
    expect(summary(image)).toEqual({ shape: expected.decode.shape, sha256: expected.decode.sha256 })
    const asStored = await decodeImage(fixture(`cases/${file}`))
    if (expected.channels0_shape) expect(asStored.shape).toEqual(expected.channels0_shape)
  })
})

it('refuses a picture past the pixel limit before memory for it is asked for', async () => {
  const error = await failureOf(() => decodeImage(fixture('golden/png/bomb.png')))
  expect(error.code).toBe('STK_IMAGE_TOO_LARGE')
})

it('refuses any cut, and any flipped bit of a critical chunk', async () => {
  const bytes = fixture('golden/png/c6-d8-i1.png')
  for (let cut = 0; cut < bytes.length; cut++) {
    expect((await failureOf(() => decodeImage(bytes.subarray(0, cut)))).code).toMatch(/^STK_IMAGE_/)
  }
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 4
    expect((await failureOf(() => decodeImage(damaged))).code, `byte ${at}`).toMatch(/^STK_IMAGE_/)
  }
})
