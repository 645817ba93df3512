// What is in the photo? JPEG photos in five classes and a small convolution net that halves each side four times.
import { AUTOTUNE, fixedLen, pipeline, tfrecord } from '@stoker/spec'
import { averagePool2d, conv2d, dense, sequential } from '../support/layers.mjs'

const SIDE = 224

const photos = (files, shuffle) =>
  pipeline(tfrecord(files, { shuffle }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodeJpeg('image', { channels: 3 })
    .resize('image', [SIDE, SIDE])
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')

export const job = ({ train, test }, epochs = 6) => ({
  name: 'photos',
  pipeline: photos(train, true).shuffle(400, { seed: 42 }).batch(32).prefetch(AUTOTUNE),
  seed: 42,
  train: {
    model: {
      kind: 'layers',
      topology: sequential(
        'photos',
        [SIDE, SIDE, 3],
        [
          ...[8, 16, 32, 32].map((filters, at) => conv2d(`conv${at + 1}`, filters)),
          averagePool2d(),
          dense('class', 5, 'softmax'),
        ],
      ),
    },
    optimizer: { type: 'adam', learningRate: 0.004 },
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    epochs,
    checkpoint: { everySteps: 50 },
    validation: { pipeline: photos(test, false).batch(40).prefetch(AUTOTUNE) },
  },
})

export default () => job({ train: 'file:photos-v1/train-*.tfrecord', test: 'file:photos-v1/test-*.tfrecord' })
