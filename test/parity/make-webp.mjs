// Writes test/fixtures/golden/webp with sharp (libwebp), since TensorFlow writes no WebP: node test/parity/make-webp.mjs
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const sharp = createRequire(new URL('../../libs/ops/package.json', import.meta.url))('sharp')
const FIXTURES = new URL('../fixtures/', import.meta.url)
const OUT = new URL('golden/webp/', FIXTURES)
const photo = new URL('photos/cat/cat-0.jpg', FIXTURES).pathname
const width = 61
const height = 47
const part = () => sharp(photo).extract({ left: 20, top: 30, width, height })

const pixels = await part().ensureAlpha().raw().toBuffer()
for (let at = 3; at < pixels.length; at += 4) pixels[at] = ((at >> 2) * 7) % 256
const withAlpha = () => sharp(pixels, { raw: { width, height, channels: 4 } })
const frames = Buffer.concat([pixels, Buffer.from(pixels).reverse()])
const animation = sharp(frames, { raw: { width, height: 2 * height, channels: 4, pageHeight: height } })

const files = {
  lossy: part().webp({ quality: 80 }),
  lossless: part().webp({ lossless: true }),
  'lossy-alpha': withAlpha().webp({ quality: 70 }),
  'lossless-alpha': withAlpha().webp({ lossless: true, exact: true }),
  'opaque-alpha': part().ensureAlpha().webp({ quality: 70 }),
  icc: part().withIccProfile('p3').webp({ quality: 80 }),
  exif: part().withMetadata({ orientation: 6 }).webp({ quality: 80 }),
  anim: animation.webp({ quality: 70, loop: 0, delay: [100, 100] }),
}
mkdirSync(OUT, { recursive: true })
for (const [name, image] of Object.entries(files)) writeFileSync(new URL(`${name}.webp`, OUT), await image.toBuffer())
