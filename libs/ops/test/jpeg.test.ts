import { describe, expect, it } from 'vitest'
import { decodeImage } from '../src/image/decode.js'
import { caseOf, failureOf, fixture, type GoldenImage, golden, summary } from './support.js'

const photos = golden<{ file: string; rgb: GoldenImage; grey: GoldenImage }[]>('photos.json')

describe('photos decode bit for bit as in TensorFlow', () => {
  it.each(photos)('$file', async ({ file, rgb, grey }) => {
    const bytes = fixture(`photos/${file}`)
    expect(summary(await decodeImage(bytes, { channels: 3 }))).toEqual(rgb)
    expect(summary(await decodeImage(bytes, { channels: 1 }))).toEqual(grey)
  })
})

type Row = { file: string; png4: GoldenImage } & Record<'0' | '1' | '3', GoldenImage>
const sound = golden<Row[]>('jpeg.json').filter(({ file }) => !file.includes('ycck'))

describe('each kind of JPEG and each number of channels', () => {
  it.each(sound)('$file', async (row) => {
    for (const channels of [0, 1, 3] as const) {
      const { shape, sha256 } = row[channels]
      expect(summary(await decodeImage(fixture(`golden/${row.file}`), { channels }))).toEqual({ shape, sha256 })
    }
    const error = await failureOf(() => decodeImage(fixture(`golden/${row.file}`), { channels: 4 }))
    expect(error.code).toBe('STK_IMAGE_UNSUPPORTED')
  })
})

type Fault = {
  file: string
  cut?: number
  append?: string
  insert?: number
  at?: number
  xor?: number
  result: GoldenImage
}

function damaged({ file, cut, append, insert, at = 0, xor = 0 }: Fault): Uint8Array {
  const bytes = fixture(`golden/${file}`)
  if (cut !== undefined) return bytes.subarray(0, cut)
  if (append !== undefined) return Buffer.concat([bytes, Buffer.from(append, 'base64')])
  if (insert !== undefined) return Buffer.concat([bytes.subarray(0, at), Buffer.of(insert), bytes.subarray(at)])
  bytes[at]! ^= xor
  return bytes
}

it('refuses the damaged files that TensorFlow refuses and gives the same pixels for the rest', async () => {
  const faults = golden<Fault[]>('jpeg-damaged.json')
  expect(faults.length).toBeGreaterThan(400)
  for (const fault of faults) {
    const decode = () => decodeImage(damaged(fault), { channels: 3 })
    if (fault.result.error) expect((await failureOf(decode)).code, JSON.stringify(fault)).toMatch(/^STK_IMAGE_/)
    else expect(summary(await decode()), JSON.stringify(fault)).toEqual(fault.result)
  }
})

describe('cases met by other people', () => {
  it.each(['img-rgbjpeg-h', 'img-exif-h', 'img-gray-h', 'img-dct-h', 'img-trunc-h2', 'img-mislabel-h'])(
    '%s',
    async (id) => {
      const { file, expected } = caseOf(id)
      const image = await decodeImage(fixture(`cases/${[file].flat()[0]}`), { channels: 3 })
      expect(summary(image)).toEqual({ shape: expected.decode.shape, sha256: expected.decode.sha256 })
    },
  )

  it('a truncated JPEG is an error that says so, its neighbour is not harmed', async () => {
    const { file, expected } = caseOf('img-trunc-h')
    const [bad, good] = file as string[]
    const error = await failureOf(() => decodeImage(fixture(`cases/${bad}`), { channels: 3 }))
    expect(error).toMatchObject({ code: 'STK_IMAGE_CORRUPT', retryable: false })
    expect(error.message).toContain('ends before its end marker')
    const { sha256 } = expected.good_neighbour.decode
    expect(summary(await decodeImage(fixture(`cases/${good}`), { channels: 3 })).sha256).toBe(sha256)
  })

  it('a grey image keeps its one channel when the channels are not set', async () => {
    const { file, expected } = caseOf('img-gray-h')
    const image = await decodeImage(fixture(`cases/${[file].flat()[0]}`))
    expect(image.shape).toEqual(expected.channels0_shape)
  })

  it('YCCK is equal to the default DCT', async () => {
    const row = golden<Row[]>('jpeg.json').find(({ file }) => file.includes('ycck'))!
    expect(summary(await decodeImage(fixture('golden/jpeg/ycck.jpg')))).toEqual(row[3])
  })

  it('CMYK that is cut is an error', async () => {
    const bytes = fixture(`cases/${caseOf('img-cmyk-h').file}`)
    expect((await failureOf(() => decodeImage(bytes.subarray(0, -200), { channels: 3 }))).code).toBe(
      'STK_IMAGE_CORRUPT',
    )
  })
})

it('refuses an image past the pixel limit from its header alone', async () => {
  const bytes = fixture('golden/jpeg/rgb-420.jpg')
  const at = bytes.indexOf(Buffer.of(0xff, 0xc0))
  bytes.writeUInt16BE(65_000, at + 5)
  bytes.writeUInt16BE(65_000, at + 7)
  const error = await failureOf(() => decodeImage(bytes, { channels: 3 }))
  expect(error.code).toBe('STK_IMAGE_TOO_LARGE')
  expect(error.message).toContain('65000 x 65000')
  const small = await failureOf(() => decodeImage(fixture('golden/jpeg/rgb-420.jpg'), { maxPixels: 100 }))
  expect(small.code).toBe('STK_IMAGE_TOO_LARGE')
})
