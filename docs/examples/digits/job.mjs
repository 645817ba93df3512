// Which digit is it? The classic of the field: 28x28 -> Flatten -> Dense 128 relu -> Dense 10 softmax.
import { AUTOTUNE, fixedLen, pipeline, tfrecord } from '@stoker/spec'
import { dense, flatten, sequential } from '../support/layers.mjs'

const digits = (files, shuffle) =>
  pipeline(tfrecord(files, { compression: 'GZIP', shuffle }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodePng('image', { channels: 1 })
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')

export const job = ({ train, test }, epochs = 5) => ({
  name: 'digits',
  pipeline: digits(train, true).shuffle(5_000, { seed: 42 }).batch(64).prefetch(AUTOTUNE),
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
    validation: { pipeline: digits(test, false).batch(250).prefetch(AUTOTUNE) },
  },
})

export default () => job({ train: 'file:digits-v2/train-*.tfrecord.gz', test: 'file:digits-v2/test-*.tfrecord.gz' })
