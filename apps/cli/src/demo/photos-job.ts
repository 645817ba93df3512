import { AUTOTUNE, fixedLen, type Job, pipeline, tfrecord } from '@stoker/spec'
import type { DataSet } from './data-set.js'
import { dense, globalAveragePool, halvingConv, sequential } from './layers.js'

const SIDE = 224

const photos = (files: string, shuffle: boolean) =>
  pipeline(tfrecord(files, { shuffle }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodeJpeg('image', { channels: 3 })
    .resize('image', [SIDE, SIDE])
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')

/** JPEG photos in five classes and a small convolution net that halves each side four times. */
export function photosJob(data: DataSet, epochs = 6): Job {
  return {
    name: 'photos',
    pipeline: photos(data.train, true).shuffle(400, { seed: 42 }).batch(32).prefetch(AUTOTUNE).toJSON(),
    seed: 42,
    train: {
      model: {
        kind: 'layers',
        topology: sequential(
          'photos',
          [SIDE, SIDE, 3],
          [
            ...[8, 16, 32, 32].map((filters, at) => halvingConv(`conv${at + 1}`, filters)),
            globalAveragePool(),
            dense('class', 5, 'softmax'),
          ],
        ),
      },
      optimizer: { type: 'adam', learningRate: 0.004 },
      loss: 'sparseCategoricalCrossentropy',
      metrics: ['accuracy'],
      epochs,
      checkpoint: { everySteps: 50 },
      validation: { pipeline: photos(data.test, false).batch(40).prefetch(AUTOTUNE).toJSON() },
    },
  }
}
