import { AUTOTUNE, fixedLen, type Job, pipeline, tfrecord } from '@stoker/spec'
import type { DataSet } from './data-set.js'
import { dense, flatten, sequential } from './layers.js'

const images = (files: string, shuffle: boolean) =>
  pipeline(tfrecord(files, { compression: 'GZIP', shuffle }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodePng('image', { channels: 1 })
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')

/** The classic of the field: 28x28 -> Flatten -> Dense 128 relu -> Dense 10 softmax. */
export function digitsJob(data: DataSet, epochs = 5): Job {
  return {
    name: 'digits',
    pipeline: images(data.train, true).shuffle(5_000, { seed: 42 }).batch(64).prefetch(AUTOTUNE).toJSON(),
    seed: 42,
    train: {
      model: {
        kind: 'layers',
        topology: sequential(
          'digits',
          [28, 28, 1],
          [flatten(), dense('hidden', 128, 'relu'), dense('digit', 10, 'softmax')],
        ),
      },
      optimizer: { type: 'adam', learningRate: 0.001 },
      loss: 'sparseCategoricalCrossentropy',
      metrics: ['accuracy'],
      epochs,
      checkpoint: { everySteps: 200 },
      validation: { pipeline: images(data.test, false).batch(250).prefetch(AUTOTUNE).toJSON() },
    },
  }
}
