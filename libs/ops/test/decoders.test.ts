import type { Tensor } from '@stoker/formats'
import { describe, expect, it } from 'vitest'
import { type ChannelsAsked, type DecodeOp, decodeImage } from '../src/image/decode.js'
import { caseOf, failureOf, fixture, golden, sha256, summary } from './support.js'

/** What TensorFlow gave for one call. */
interface Result {
  readonly op: DecodeOp
  readonly channels?: ChannelsAsked
  readonly dtype?: 'uint8' | 'uint16' | 'float32'
  readonly error?: string
  readonly shape?: number[]
  readonly sha256?: string
}
interface Row {
  readonly name?: string
  readonly file?: string
  readonly data?: string
  readonly results: Result[]
}

const bytesOf = ({ data, file }: Row): Buffer =>
  data === undefined ? fixture(`golden/${file}`) : Buffer.from(data, 'base64')

async function compare(row: Row): Promise<void> {
  const bytes = bytesOf(row)
  for (const { op, channels = 0, dtype = 'uint8', error, shape, sha256 } of row.results) {
    const decode = () => decodeImage(bytes, { op, channels, dtype })
    const what = `${op} channels ${channels} ${dtype}`
    if (error) expect((await failureOf(decode)).code, `${what}: ${error}`).toMatch(/^STK_IMAGE_/)
    else {
      const image = await decode()
      expect({ ...summary(image), dtype: image.dtype }, what).toEqual({ shape, sha256, dtype })
    }
  }
}

describe('every kind equals TensorFlow in pixels, shapes and refusals', () => {
  it.each(golden<Row[]>('gif.json'))('GIF $name', compare)
  it.each(golden<Row[]>('bmp.json'))('BMP $name', compare)
  it.each(golden<Row[]>('webp.json'))('$file', compare)
  it.each(golden<Row[]>('cmyk.json'))('JPEG $name', compare)
  it.each(golden<Row[]>('jpeg-dtypes.json'))('JPEG $name in other types', compare)
  it.each(golden<Row[]>('png16.json'))('$file with 16 bits', compare)
})

describe('cases met by other people', () => {
  it.each(['img-cmyk-h', 'img-cmyk-h2'])('%s, with the pixels of the default DCT', async (id) => {
    const { file, expected } = caseOf(id)
    const bytes = fixture(`cases/${file}`)
    for (const channels of [0, 3] as const) {
      expect(summary(await decodeImage(bytes, { channels }))).toEqual({
        shape: expected.decode.shape,
        sha256: expected.decode.sha256,
      })
    }
    expect((await failureOf(() => decodeImage(bytes, { channels: 1 }))).code).toBe('STK_IMAGE_UNSUPPORTED')
  })

  it('img-png16-h as uint16', async () => {
    const { file, expected } = caseOf('img-png16-h')
    const image = await decodeImage(fixture(`cases/${file}`), { channels: 1, dtype: 'uint16' })
    expect(image.dtype).toBe('uint16')
    expect(sha256(image)).toBe(expected.uint16.sha256)
  })

  it('img-exif-h is turned only where that is asked for', async () => {
    const bytes = fixture(`cases/${caseOf('img-exif-h').file}`)
    expect((await decodeImage(bytes)).shape).toEqual([31, 52, 3])
    const turned = await decodeImage(bytes, { applyOrientation: true })
    expect(turned.shape).toEqual([52, 31, 3])
  })

  it('img-mislabel-h2: the error says what the bytes are and which op takes them', async () => {
    const bmp = fixture('cases/files/img/really_bmp.jpg')
    expect((await decodeImage(bmp)).shape).toHaveLength(3)
    const error = await failureOf(() => decodeImage(bmp, { op: 'decodeJpeg' }))
    expect(error.code).toBe('STK_IMAGE_OTHER_KIND')
    expect(error.message).toContain('BMP')
    expect(error.remedy).toContain('decodeBmp')
    const gzip = await failureOf(() => decodeImage(fixture('cases/files/img/gzipped.JPEG')))
    expect(gzip.code).toBe('STK_IMAGE_UNKNOWN')
    expect(gzip.message).toContain('GZIP')
  })
})

it.each(golden<{ orientation: number; segment: string; shape: number[]; sha256: string }[]>('orientation.json'))(
  'EXIF orientation $orientation is applied as a viewer does',
  async ({ segment, shape, sha256 }) => {
    const plain = fixture('golden/jpeg/rgb-420.jpg')
    const bytes = Buffer.concat([plain.subarray(0, 2), Buffer.from(segment, 'base64'), plain.subarray(2)])
    expect(summary(await decodeImage(bytes, { applyOrientation: true }))).toEqual({ shape, sha256 })
    expect(summary(await decodeImage(bytes))).toEqual(summary(await decodeImage(plain)))
  },
)

it('an orientation that makes no sense changes nothing', async () => {
  const plain = fixture('golden/jpeg/rgb-420.jpg')
  const [{ segment }] = golden<[{ segment: string }]>('orientation.json')
  const exif = Buffer.from(segment, 'base64')
  for (let at = 4; at < exif.length; at++) {
    const damaged = Buffer.from(exif)
    damaged[at] = 0xff
    const bytes = Buffer.concat([plain.subarray(0, 2), damaged, plain.subarray(2)])
    const { shape } = (await decodeImage(bytes, { applyOrientation: true })) as Tensor
    expect(shape).toEqual([47, 61, 3])
  }
})

it('takes bytes that lie anywhere in a larger buffer, as a feature of a record, a tar member or a whole file do', async () => {
  const files = [
    ...['gif.json', 'bmp.json', 'cmyk.json'].map((file) => bytesOf(golden<Row[]>(file)[0]!)),
    ...['webp/lossy.webp', 'png/c6-d8-i1.png', 'jpeg/rgb-420.jpg'].map((file) => fixture(`golden/${file}`)),
  ]
  const page = new Uint8Array(files.reduce((total, file) => total + file.length, 0) + 7).fill(0xff)
  let at = 7
  for (const file of files) {
    page.set(file, at)
    const inPage = await decodeImage(page.subarray(at, at + file.length))
    expect(summary(inPage)).toEqual(summary(await decodeImage(file)))
    at += file.length
  }
})

describe('the pixel limit is held before memory for pixels is asked for', () => {
  const named = (file: string, name: string) => bytesOf(golden<Row[]>(file).find((row) => row.name === name)!)
  const huge: readonly [kind: string, bytes: () => Buffer][] = [
    ['GIF', () => patched(named('gif.json', 'plain'), 13 + 12 + 5, [0xff, 0xff, 0xff, 0xff])],
    ['BMP', () => named('bmp.json', 'huge')],
    ['WebP', () => patched(fixture('golden/webp/lossy.webp'), 26, [0xff, 0x3f, 0xff, 0x3f])],
    ['WebP', () => patched(fixture('golden/webp/lossless.webp'), 21, [0xff, 0xff, 0xff, 0x0f])],
    ['WebP', () => patched(fixture('golden/webp/lossy-alpha.webp'), 24, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
  ]
  it.each(huge)('%s', async (_, bytes) => {
    const error = await failureOf(() => decodeImage(bytes(), { maxPixels: 10_000_000 }))
    expect(error.code).toBe('STK_IMAGE_TOO_LARGE')
  })
})

function patched(bytes: Buffer, at: number, values: readonly number[]): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(values, at)
  return copy
}

it('damaged GIF, BMP, WebP and CMYK end in an error with a code or in an image, never in another error', async () => {
  const inputs = [
    ...['gif.json', 'bmp.json', 'cmyk.json'].map((file) => bytesOf(golden<Row[]>(file)[0]!)),
    fixture('golden/webp/lossy-alpha.webp'),
  ]
  for (const bytes of inputs) {
    const kind = bytes.subarray(0, 4)
    for (let at = 12; at < bytes.length; at += 7) {
      for (const damaged of [bytes.subarray(0, at), patched(bytes, at, [bytes[at]! ^ 0x55])]) {
        const outcome = await Promise.resolve()
          .then(() => decodeImage(damaged, { maxPixels: 100_000 }))
          .catch((error) => error)
        expect(outcome.shape ? 'image' : outcome.code, `${kind} at ${at}`).toMatch(/^image$|^STK_IMAGE_/)
      }
    }
  }
})
