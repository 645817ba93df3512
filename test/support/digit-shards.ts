import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { AUTOTUNE, fixedLen, type Job, pipeline, tfrecord } from '@stoker/spec'
import sharp from 'sharp'

const SIDE = 12

/** A small picture that its number decides: noise, and a bright line whose height is the last digit of the number. */
async function picture(number: number): Promise<Uint8Array> {
  const pixels = Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
    const noise = (number * 31 + at * 7) % 64
    return Math.floor(at / SIDE) === number % 10 ? 255 - noise : noise
  })
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 1 } })
    .png()
    .toBuffer()
}

/**
 * Writes GZIP TFRecord shards of PNG pictures with the label `number % 10`; `counts` holds the records of each shard.
 * Returns the pattern that names them.
 */
export async function writeDigitShards(folder: string, counts: readonly number[]): Promise<string> {
  await mkdir(folder, { recursive: true })
  let number = 0
  for (const [shard, count] of counts.entries()) {
    const records: Uint8Array[] = []
    for (let at = 0; at < count; at++, number++) {
      records.push(encodeExample({ image: { bytes: [await picture(number)] }, label: { int64: [number % 10] } }))
    }
    await writeFile(join(folder, `part-${shard}.tfrecord.gz`), gzipSync(writeTfrecord(records)))
  }
  return `file://${folder}/part-*.tfrecord.gz`
}

/** A feed-only job over such shards, with everything that could make its order depend on timing. */
export const digitFeed = (files: string, more: Partial<Job> = {}): Job => ({
  pipeline: pipeline(tfrecord(files, { compression: 'GZIP', shuffle: true }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodePng('image', { channels: 1 })
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')
    .shuffle(100, { seed: 7 })
    .batch(16)
    .prefetch(AUTOTUNE)
    .toJSON(),
  epochs: 2,
  seed: 11,
  ...more,
})

/** A training job over such shards: a small classifier that learns quickly, validated on the same records. */
export function digitTraining(files: string, epochs: number): Job {
  const { pipeline: chain, seed } = digitFeed(files)
  const layers = [
    { class_name: 'Flatten', config: { name: 'flatten', batch_input_shape: [null, SIDE, SIDE, 1] } },
    { class_name: 'Dense', config: { name: 'hidden', units: 64, activation: 'relu' } },
    { class_name: 'Dense', config: { name: 'class', units: 10, activation: 'softmax' } },
  ]
  return {
    pipeline: chain,
    ...(seed === undefined ? {} : { seed }),
    train: {
      model: { kind: 'layers', topology: { class_name: 'Sequential', config: { name: 'small', layers } } },
      optimizer: { type: 'adam', learningRate: 0.005 },
      loss: 'sparseCategoricalCrossentropy',
      metrics: ['accuracy'],
      epochs,
      checkpoint: { everySteps: 10 },
      validation: { pipeline: chain },
    },
  }
}
