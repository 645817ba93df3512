import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { DataSetRecipe } from './data-set.js'
import { imageShards, type Sample } from './image-shards.js'
import { seededRandom, shuffled } from './random.js'

/** 25 free photos in five classes (folder = class), with their credits in the README beside them. */
const PHOTOS = fileURLToPath(new URL('../../../../test/fixtures/photos/', import.meta.url))
const VARIANTS = 400
const TEST_SHARE = 0.2
const SEED = 7

/** Seeded variants of the photos: crop, flip, resize to about 500x375, re-encode. Held out are variants, not photos. */
export const photosRecipe: DataSetRecipe = {
  about: `${VARIANTS} variants of 25 photos, one in five held out`,
  name: 'photos-v1',
  make: async (note, records = VARIANTS) =>
    imageShards(await makePhotos(records, note), { compression: 'NONE', trainShards: 8, testShards: 2 }),
}

export async function makePhotos(variants: number, note: (text: string) => void) {
  note(`making ${variants} variants of 25 photos`)
  const originals = await readPhotos()
  const random = seededRandom(SEED)
  const samples: Sample[] = []
  for (let at = 0; at < variants; at++) {
    const original = originals[at % originals.length]
    if (original) samples.push({ image: await variantOf(original.image, random), label: original.label })
  }
  const mixed = shuffled(samples, SEED)
  const testRecords = Math.round(variants * TEST_SHARE)
  return { test: mixed.slice(0, testRecords), train: mixed.slice(testRecords) }
}

async function readPhotos(): Promise<Sample[]> {
  const entries = await readdir(PHOTOS, { withFileTypes: true })
  const classes = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const photos: Sample[] = []
  for (const [label, name] of classes.sort().entries()) {
    for (const file of (await readdir(join(PHOTOS, name))).sort()) {
      if (file.endsWith('.jpg')) photos.push({ image: await readFile(join(PHOTOS, name, file)), label })
    }
  }
  return photos
}

/** 60 to 100 % of each side, mirrored or not, 450..550 x 340..410 pixels, quality 85..95. */
async function variantOf(photo: Uint8Array, random: () => number): Promise<Uint8Array> {
  const { width, height } = await sharp(photo).metadata()
  const between = (least: number, most: number) => Math.floor(least + random() * (most - least + 1))
  const crop = { width: between(Math.ceil(width * 0.6), width), height: between(Math.ceil(height * 0.6), height) }
  const picture = sharp(photo)
    .extract({ left: between(0, width - crop.width), top: between(0, height - crop.height), ...crop })
    .resize(between(450, 550), between(340, 410), { fit: 'fill' })
  return (random() < 0.5 ? picture.flop() : picture).jpeg({ quality: between(85, 95) }).toBuffer()
}
