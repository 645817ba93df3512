import { expect, test } from 'vitest'
import { AUTOTUNE, fixedLen, OPS, parseJob, pipeline, range, tfrecord } from '../src/index.js'

const photos = () =>
  pipeline(tfrecord('s3://data/train-*.tfrecord', { compression: 'GZIP', shuffle: true }))
    .interleave({ cycleLength: AUTOTUNE, blockLength: 1, parallelism: AUTOTUNE, deterministic: true })
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodeJpeg('image', { channels: 3 })
    .resize('image', [224, 224])
    .cast('image', 'float32')
    .scale('image', 1 / 255)
    .cast('label', 'int32')
    .shuffle(5000, { seed: 42 })
    .batch(32)
    .prefetch(AUTOTUNE)

test('a chain reads like tf.data and yields the JSON that the api takes', () => {
  expect(JSON.parse(JSON.stringify(photos()))).toEqual({
    source: { type: 'tfrecord', files: 's3://data/train-*.tfrecord', compression: 'GZIP', shuffle: true },
    stages: [
      { op: 'interleave', cycleLength: 'AUTOTUNE', blockLength: 1, parallelism: 'AUTOTUNE', deterministic: true },
      {
        op: 'parseExample',
        features: {
          image: { kind: 'fixedLen', dtype: 'string', shape: [] },
          label: { kind: 'fixedLen', dtype: 'int64', shape: [] },
        },
      },
      { op: 'decodeJpeg', field: 'image', channels: 3 },
      { op: 'resize', field: 'image', size: [224, 224] },
      { op: 'cast', field: 'image', dtype: 'float32' },
      { op: 'scale', field: 'image', factor: 1 / 255 },
      { op: 'cast', field: 'label', dtype: 'int32' },
      { op: 'shuffle', bufferSize: 5000, seed: 42 },
      { op: 'batch', size: 32 },
      { op: 'prefetch', depth: 'AUTOTUNE' },
    ],
  })
})

test('a chain is a value: branching off does not change it', () => {
  const trunk = pipeline(range(10))
  const left = trunk.batch(2)
  const right = trunk.batch(5)
  expect(trunk.toJSON().stages).toEqual([])
  expect([left, right].map((chain) => chain.toJSON().stages)).toEqual([
    [{ op: 'batch', size: 2 }],
    [{ op: 'batch', size: 5 }],
  ])
})

test('every op has a builder method of its name', () => {
  const chain = pipeline(range(1))
  for (const name of Object.keys(OPS)) expect(typeof chain[name as keyof typeof OPS], name).toBe('function')
})

test('infers what the consumer gets', () => {
  const { checked } = parseJob(JSON.parse(JSON.stringify({ pipeline: photos() })))
  expect(checked.recordSignature).toEqual({
    image: { dtype: 'float32', shape: [224, 224, 3] },
    label: { dtype: 'int32', shape: [] },
  })
})
