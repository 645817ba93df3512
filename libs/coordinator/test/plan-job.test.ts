import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toStokerError } from '@stoker/spec'
import { createStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planJob } from '../src/index.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-plan-'))
  for (const name of ['b', 'a', 'c']) await writeFile(join(folder, `${name}.tfrecord`), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const context = () => ({ store: createStore({ fileRoots: [folder] }), scratch: `file://${folder}/scratch` })
const example = { op: 'parseExample', features: { label: { kind: 'fixedLen', dtype: 'int64' } } }
const documentOf = (files: string | string[], more: object = {}) => ({
  pipeline: { source: { type: 'tfrecord', files }, stages: [example, { op: 'batch', size: 4 }, { op: 'prefetch' }] },
  ...more,
})
const refusal = async (document: unknown, redisMaxBytes = 0) => {
  try {
    await planJob({ document, context: context(), redisMaxBytes })
  } catch (error) {
    return toStokerError(error)
  }
  throw new Error('accepted')
}

test('pins shards sorted within a pattern, patterns in order, each shard once', async () => {
  const { plan } = await planJob({ document: documentOf(['file:c*', 'file:*.tfrecord']), context: context() })
  expect(plan.shards.map(({ uri }) => uri.slice(-10))).toEqual(['c.tfrecord', 'a.tfrecord', 'b.tfrecord'])
  expect(plan.shards.every(({ etag }) => etag.length > 0)).toBe(true)
})

test('a pattern that matches nothing is refused by name', async () => {
  const error = await refusal(documentOf('file:none-*'))
  expect(error.message).toContain('none-*')
  expect(error.status).toBeLessThan(500)
})

test('a batch above the byte budget is refused with the least number that would do', async () => {
  const error = await refusal(documentOf('file:a*', { bufferBytes: 16 }))
  expect(error.code).toBe('STK_JOB_REFUSED')
  expect(error.remedy).toContain('32')
})

test('a budget above Redis maxmemory is refused', async () => {
  expect((await refusal(documentOf('file:a*'), 1024)).code).toBe('STK_JOB_BUFFER_ABOVE_REDIS')
})

test('strict turns warnings into a refusal', async () => {
  const pipeline = { source: { type: 'range', stop: 9 }, stages: [{ op: 'batch', size: 2 }] }
  expect((await refusal({ pipeline, strict: true })).message).toContain('prefetch')
  const { findings } = await planJob({ document: { pipeline }, context: context() })
  expect(findings.map(({ code }) => code)).toEqual(['STK_LINT_NO_PREFETCH'])
})

test('a validation pipeline becomes a second plan within the same budget', async () => {
  const model = { kind: 'savedModel', uri: 'file:m' }
  const features = { label: { kind: 'fixedLen', dtype: 'int64' }, x: { kind: 'fixedLen', dtype: 'float32' } }
  const chain = {
    source: { type: 'tfrecord', files: 'file:a*' },
    stages: [{ op: 'parseExample', features }, { op: 'batch', size: 4 }, { op: 'prefetch' }],
  }
  const document = { pipeline: chain, bufferBytes: 4096, train: { model, epochs: 3, validation: { pipeline: chain } } }
  const { plan, validation } = await planJob({ document, context: context() })
  expect(plan.bufferBytes + (validation?.bufferBytes ?? 0)).toBe(4096)
  expect(validation?.order.epochs).toBe(3)
})

test('a range that makes no batch is refused at submission', async () => {
  const pipeline = (stop: number) => ({
    source: { type: 'range', stop },
    stages: [{ op: 'batch', size: 7, dropRemainder: true }],
  })
  expect((await refusal({ pipeline: pipeline(5) })).code).toBe('STK_JOB_NO_BATCH')
  expect((await refusal({ pipeline: pipeline(0) })).code).toBe('STK_JOB_EMPTY')
})
