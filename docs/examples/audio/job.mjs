// Which instrument plays? Half a second of sound as a picture of 20 times by 64 pitches, and a small convolution net.
import { AUTOTUNE, fixedLen, pipeline, tfrecord } from '@stoker/spec'
import { averagePool2d, conv2d, dense, sequential } from '../support/layers.mjs'
import { INSTRUMENTS, SAMPLE_RATE, SAMPLES } from './data.mjs'

const FRAME = 2048
const STEP = 1024
const PITCHES = 64
const TIMES = 1 + Math.floor((SAMPLES - FRAME) / STEP)

const notes = (files, shuffle) =>
  pipeline(tfrecord(files, { shuffle }))
    .interleave({ cycleLength: AUTOTUNE, parallelism: AUTOTUNE })
    .parseExample({ audio: fixedLen('string'), label: fixedLen('int64') })
    .decodeWav('audio', { desiredChannels: 1, desiredSamples: SAMPLES })
    .squeeze('audio', -1)
    .melSpectrogram('audio', {
      ...{ frameLength: FRAME, frameStep: STEP, sampleRate: SAMPLE_RATE },
      ...{ numMelBins: PITCHES, lowerEdgeHertz: 60, upperEdgeHertz: 10_000, log: true, logOffset: 1e-3 },
    })
    // Logarithms of loudness: -7 for silence, about 5 at the loudest.
    .scale('audio', 1 / 3)
    .expandDims('audio', -1)
    .cast('label', 'int32')

export const job = ({ train, test }, epochs = 10) => ({
  name: 'audio',
  pipeline: notes(train, true).shuffle('global', { seed: 42 }).batch(16).prefetch(AUTOTUNE),
  seed: 42,
  train: {
    model: {
      kind: 'layers',
      topology: sequential(
        'audio',
        [TIMES, PITCHES, 1],
        [
          ...[16, 32, 32].map((filters, at) => conv2d(`conv${at + 1}`, filters, { kernel_size: [3, 5] })),
          averagePool2d(),
          dense('instrument', INSTRUMENTS.length, 'softmax'),
        ],
      ),
    },
    optimizer: { type: 'adam', learningRate: 0.003 },
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    epochs,
    validation: { pipeline: notes(test, false).batch(32).prefetch(AUTOTUNE) },
  },
})

export default () => job({ train: 'file:audio-v1/train-*.tfrecord', test: 'file:audio-v1/test-*.tfrecord' })
