// Which language is this sentence in? Words are hashed into 8,192 ids, embedded and averaged.
import { AUTOTUNE, jsonLines, pipeline } from '@stoker/spec'
import { averagePool1d, dense, embedding, sequential } from '../support/layers.mjs'
import { LANGUAGES } from './data.mjs'

const WORDS = 24
const IDS = 8192

const sentences = (files, shuffle) =>
  pipeline(jsonLines(files, { text: { dtype: 'string' }, language: { dtype: 'string' } }, { shuffle }))
    .interleave({ cycleLength: AUTOTUNE, parallelism: AUTOTUNE })
    .lower('text', { encoding: 'utf-8' })
    .regexReplace('text', '[^\\pL\\s]+', ' ')
    .textSplit('text')
    .padTo('text', WORDS, { truncate: true })
    .lookup('text', { hashBuckets: IDS })
    .lookup('language', { vocabulary: LANGUAGES })
    .rename({ text: 'words', language: 'label' })
    .cast('words', 'int32')
    .cast('label', 'int32')

export const job = ({ train, test }, epochs = 10) => ({
  name: 'text',
  pipeline: sentences(train, true).shuffle('global', { seed: 42 }).batch(32).prefetch(AUTOTUNE),
  seed: 42,
  train: {
    model: {
      kind: 'layers',
      topology: sequential(
        'text',
        [WORDS],
        [embedding('words', IDS, 32), averagePool1d(), dense('language', LANGUAGES.length, 'softmax')],
      ),
    },
    optimizer: { type: 'adam', learningRate: 0.01 },
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    epochs,
    validation: { pipeline: sentences(test, false).batch(128).prefetch(AUTOTUNE) },
  },
})

export default () => job({ train: 'file:text-v1/train-*.jsonl', test: 'file:text-v1/test-*.jsonl' })
