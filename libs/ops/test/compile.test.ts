import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { encodeExample, type RecordFields } from '@stoker/formats'
import { fixedLen, OPS, type Stage } from '@stoker/spec'
import { expect, it } from 'vitest'
import { compileStages as compile } from '../src/compile.js'
import { KERNELS } from '../src/kernels/index.js'
import { caseOf, failureOf, fixture } from './support.js'

const compileStages = (stages: readonly Stage[]) => (record: RecordFields) => compile(stages)(record, { key: 0 })
const DIST = new URL('../dist/index.js', import.meta.url).href

const recordOf = (image: Uint8Array, label = 7n): RecordFields => ({
  record: { dtype: 'string', shape: [], data: encodeExample({ image: { bytes: [image] }, label: { int64: [label] } }) },
})

const stages: Stage[] = [
  { op: 'parseExample', features: { image: fixedLen('string'), label: fixedLen('int64') } },
  { op: 'decodeJpeg', field: 'image', channels: 3 },
  { op: 'resize', field: 'image', size: [8, 6] },
  { op: 'cast', field: 'image', dtype: 'float32' },
  { op: 'scale', field: 'image', factor: 1 / 255 },
  { op: 'cast', field: 'label', dtype: 'int32' },
]

it('runs the stages in order, at once', () => {
  const made = compileStages(stages)(recordOf(fixture('photos/cat/cat-0.jpg'))) as RecordFields
  expect(made.image).toMatchObject({ dtype: 'float32', shape: [8, 6, 3] })
  expect(made.label).toEqual({ dtype: 'int32', shape: [], data: Int32Array.of(7) })
  const values = made.image!.data as Float32Array
  expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...values)).toBeLessThanOrEqual(1)
})

it('waits where a kernel has to, and goes on with the rest', async () => {
  const made = compileStages(stages)(recordOf(fixture('golden/webp/lossy.webp')))
  expect(made).toBeInstanceOf(Promise)
  expect((await made).image).toMatchObject({ dtype: 'float32', shape: [8, 6, 3] })
})

it('leaves the tensors it is given as they were', () => {
  const image = { dtype: 'float32', shape: [1, 1, 1], data: Float32Array.of(3) } as const
  const record = { image }
  compileStages([
    { op: 'scale', field: 'image', factor: 2 },
    { op: 'cast', field: 'image', dtype: 'int32' },
  ])(record)
  expect(record).toEqual({ image: { dtype: 'float32', shape: [1, 1, 1], data: Float32Array.of(3) } })
})

it('names op and field in every error', async () => {
  const run = compileStages(stages)
  const cut = fixture('photos/cat/cat-0.jpg').subarray(0, 20_000)
  expect(await failureOf(() => run(recordOf(cut)))).toMatchObject({
    code: 'STK_IMAGE_CORRUPT',
    place: { op: 'decodeJpeg', field: 'image' },
  })
  const other = { record: { dtype: 'string', shape: [], data: encodeExample({ label: { int64: [1] } }) } } as const
  expect(await failureOf(() => run(other))).toMatchObject({
    code: 'STK_EXAMPLE_MISSING',
    place: { op: 'parseExample', field: 'image' },
  })
  const cmyk = fixture(`cases/${caseOf('img-cmyk-h').file}`)
  const grey = compileStages([stages[0]!, { op: 'decodeJpeg', field: 'image', channels: 1 }])
  expect(await failureOf(() => grey(recordOf(cmyk)))).toMatchObject({ place: { op: 'decodeJpeg', field: 'image' } })
  const wrong = compileStages([{ op: 'resize', field: 'image', size: [2, 2] }])
  expect(await failureOf(() => wrong({}))).toMatchObject({
    code: 'STK_OPS_FIELD',
    place: { op: 'resize', field: 'image' },
  })
})

it('has a kernel for every op that touches records, and refuses the others', () => {
  const named = Object.values(OPS).flatMap(({ name, kind }) => (kind === 'record' ? [name] : []))
  expect(Object.keys(KERNELS).sort()).toEqual(named.sort())
  expect(() => compile([{ op: 'batch', size: 2 }])).toThrow('batch has no kernel here')
})

it('loads native decoders only for the images that need them', async () => {
  const script = `
    const { decodeImage } = await import(${JSON.stringify(DIST)})
    const { readFileSync } = await import('node:fs')
    const loaded = () => process.report.getReport().sharedObjects.filter((path) => /jpeg-turbo|sharp|vips/.test(path)).length
    decodeImage(readFileSync(process.argv[1]))
    const afterPng = loaded()
    decodeImage(readFileSync(process.argv[2]))
    console.log(JSON.stringify([afterPng, loaded() > 0]))`
  const file = (path: string) => new URL(`../../../test/fixtures/golden/${path}`, import.meta.url).pathname
  const args = ['--input-type=module', '-e', script, file('png/c2-d8-i0.png'), file('jpeg/rgb-444.jpg')]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toEqual([0, true])
})

it('decodes in several threads of one process at once', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.dist).then(async ({ decodeImage }) => {
      const { shape } = await decodeImage(workerData.jpeg, { channels: 3 })
      parentPort.postMessage(shape)
    })`
  const jpeg = new Uint8Array(fixture('golden/jpeg/rgb-444.jpg'))
  const shapes = await Promise.all(
    [1, 2, 3].map(async () => {
      const worker = new Worker(source, { eval: true, workerData: { dist: DIST, jpeg } })
      const shape = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
      await worker.terminate()
      return shape
    }),
  )
  expect(shapes).toEqual([
    [48, 64, 3],
    [48, 64, 3],
    [48, 64, 3],
  ])
})
