import { checkPipeline, fixedLen, type PipelineBuilder, pipeline, tfrecord } from '@stoker/spec'
import { expect, test } from 'vitest'
import { planWire, wireBytes } from '../src/index.js'

const images = () =>
  pipeline(tfrecord('file:x'))
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodeJpeg('image', { channels: 3 })
const wireOf = (chain: PipelineBuilder, wire: 'auto' | 'float32' = 'auto') => {
  const checked = checkPipeline(JSON.parse(JSON.stringify(chain.batch(4))))
  return planWire(checked, wire)
}

test('resized pixels travel as uint8, and the consumer casts and scales', () => {
  const plan = wireOf(
    images()
      .resize('image', [8, 9])
      .cast('image', 'float32')
      .scale('image', 1 / 255)
      .cast('label', 'int32'),
  )
  expect(plan.fields).toEqual({ image: { dtype: 'uint8', shape: [8, 9, 3] }, label: { dtype: 'int32', shape: [] } })
  expect(plan.deferred).toEqual({
    image: [
      { op: 'cast', dtype: 'float32' },
      { op: 'scale', factor: 1 / 255, offset: 0 },
    ],
  })
  expect(plan.workerStages.map((stage) => stage.op)).toEqual(['parseExample', 'decodeJpeg', 'resize', 'cast'])
  expect(plan.workerStages[2]).toMatchObject({ out: 'uint8' })
})

test('decoded pixels without resize travel as they are', () => {
  const plan = wireOf(images().cast('image', 'float32').scale('image', 2, -1))
  expect(plan.fields.image).toEqual({ dtype: 'uint8', shape: [null, null, 3] })
  expect(plan.deferred.image).toEqual([
    { op: 'cast', dtype: 'float32' },
    { op: 'scale', factor: 2, offset: -1 },
  ])
})

test('a resize at the end of the chain still means floats to the consumer', () => {
  expect(wireOf(images().resize('image', [8, 9])).deferred.image).toEqual([{ op: 'cast', dtype: 'float32' }])
})

test('wire float32 sends exact floats and leaves nothing to the consumer', () => {
  const plan = wireOf(
    images()
      .resize('image', [8, 9])
      .scale('image', 1 / 255),
    'float32',
  )
  expect(plan.fields.image).toEqual({ dtype: 'float32', shape: [8, 9, 3] })
  expect(plan.deferred).toEqual({})
  expect(plan.workerStages.at(-2)).not.toHaveProperty('out')
})

test('what cannot be deferred stays with the worker', () => {
  const plan = wireOf(images().cast('image', 'float32').resize('image', [8, 9]).scale('image', 0.5))
  expect(plan.fields.image?.dtype).toBe('float32')
  expect(plan.workerStages.map((stage) => stage.op)).toEqual(['parseExample', 'decodeJpeg', 'cast', 'resize', 'scale'])
  const label = wireOf(images().resize('image', [8, 9]).cast('label', 'float32'))
  expect(label.fields.label?.dtype).toBe('float32')
})

test('counts the bytes of a batch where all shapes are known', () => {
  expect(wireBytes(wireOf(images().resize('image', [8, 9])).fields, 4)).toBe(4 * (8 * 9 * 3 + 8))
  expect(wireBytes(wireOf(images()).fields, 4)).toBeNull()
})

test('a nearest resize keeps whole pixels and defers nothing; an overshooting one travels as floats', () => {
  const nearest = wireOf(images().resize('image', [8, 9], { method: 'nearest' }).drop(['label']))
  expect(nearest.fields.image).toEqual({ dtype: 'uint8', shape: [8, 9, 3] })
  expect(nearest.deferred).toEqual({})
  const bicubic = wireOf(images().resize('image', [8, 9], { method: 'bicubic' }).drop(['label']))
  expect(bicubic.fields.image?.dtype).toBe('float32')
  expect(bicubic.deferred).toEqual({})
})

test('what an op for all fields reads is not deferred past it', () => {
  const joined = wireOf(
    images().resize('image', [8, 9], { method: 'nearest' }).cast('image', 'float32').rename({ image: 'pixels' }),
  )
  expect(joined.fields.pixels?.dtype).toBe('float32')
  expect(joined.deferred).toEqual({})
})

test('pixels are rounded at the resize when what follows only moves them', () => {
  const augmented = wireOf(
    images()
      .randomResizedCrop('image', [8, 9])
      .randomFlipLeftRight('image')
      .cast('image', 'float32')
      .scale('image', 1 / 255),
  )
  expect(augmented.fields.image).toEqual({ dtype: 'uint8', shape: [8, 9, 3] })
  expect(augmented.workerStages[2]).toMatchObject({ op: 'randomResizedCrop', out: 'uint8' })
  expect(augmented.deferred.image?.map(({ op }) => op)).toEqual(['cast', 'scale'])
  const brighter = wireOf(images().resize('image', [8, 9]).randomBrightness('image', 0.1).cast('image', 'float32'))
  expect(brighter.fields.image?.dtype).toBe('float32')
})
