import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { type ChildServer, type RunningServer, startChildServer, startRedis } from '@stoker/services'
import { AUTOTUNE, fixedLen, pipeline, tfrecord } from '@stoker/spec'
import sharp from 'sharp'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { expect, vi } from 'vitest'
import { type RunningApi, startApi } from '../../src/api.js'
import { toConfig } from '../../src/config.js'
import type { Env } from '../../src/read-env.js'
import { Problem } from '../../src/schemas.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any
}

export interface Stack {
  readonly api: RunningApi
  readonly redis: RunningServer
  /** Root of `file:`; relative URIs start here. */
  readonly dir: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Submits and returns the id. */
  submit(job: unknown, headers?: Record<string, string>): Promise<string>
  /** Ready when it resolves. */
  startWorker(): Promise<ChildServer>
  stop(): Promise<void>
}

/** Redis and an api in this process, on free ports; workers on demand as processes. */
export async function startStack(env: Env = {}, redisOptions: Parameters<typeof startRedis>[0] = {}): Promise<Stack> {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-api-'))
  await mkdir(join(dir, 'store'))
  const redis = await startRedis(redisOptions)
  const shared = {
    STOKER_REDIS_URL: redis.url,
    STOKER_FILE_ROOTS: dir,
    STOKER_STORE: `file://${dir}/store`,
    STOKER_LOG_LEVEL: 'silent',
  }
  const api = await startApi(toConfig({ ...shared, STOKER_PORT: '0', ...env }))
  const workers: ChildServer[] = []

  const call: Stack['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  return {
    ...{ api, redis, dir, call },
    submit: async (job, headers) => {
      const answer = await call('POST', '/v1/jobs', job, headers)
      expect(answer.status, answer.text).toBe(201)
      return answer.json.id as string
    },
    startWorker: async () => {
      const script = fileURLToPath(new URL('../../../worker/dist/main.js', import.meta.url))
      const worker = await startChildServer(process.execPath, [script], {
        env: { ...process.env, ...shared, STOKER_LOG_LEVEL: 'info', STOKER_WORKER_PARALLELISM: '1' },
      })
      workers.push(worker)
      await vi.waitFor(
        () => {
          // One that ended will not become ready: say why at once.
          if (worker.hasExited()) return
          expect(worker.log()).toContain('"msg":"ready"')
        },
        { timeout: 30_000 },
      )
      expect(worker.hasExited(), worker.log()).toBe(false)
      return worker
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()))
      await api.close()
      await redis.stop()
      await rm(dir, { recursive: true })
    },
  }
}

export const rangeJob = (stop: number, size: number, rest: Record<string, unknown> = {}) => ({
  pipeline: {
    source: { type: 'range', stop },
    stages: [
      { op: 'batch', size },
      { op: 'prefetch', depth: 'AUTOTUNE' },
    ],
  },
  ...rest,
})

/** 8×8 grey images with labels in one TFRecord shard; `spoil` may change an image's bytes. */
export async function writeImages(
  path: string,
  count: number,
  spoil: (png: Uint8Array, index: number) => Uint8Array = (png) => png,
): Promise<void> {
  const records: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const pixels = Uint8Array.from({ length: 64 }, (_, pixel) => (index * 40 + pixel) % 256)
    const png = await sharp(pixels, { raw: { width: 8, height: 8, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer()
    records.push(encodeExample({ image: { bytes: [spoil(png, index)] }, label: { int64: [index] } }))
  }
  await writeFile(path, writeTfrecord(records))
}

export const imageJob = (files: string, size: number, rest: Record<string, unknown> = {}) => ({
  pipeline: pipeline(tfrecord(files))
    .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
    .decodePng('image', { channels: 1 })
    .resize('image', [8, 8])
    .cast('label', 'int32')
    .batch(size)
    .prefetch(AUTOTUNE)
    .toJSON(),
  ...rest,
})

export function expectShape(schema: TSchema, value: unknown): void {
  expect(Value.Errors(schema, value)).toEqual([])
}

/** A problem document of that status and code, which says what to change and nothing of the inside. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expectShape(Problem, answer.json)
  expect(answer.json).toMatchObject({ status, code })
  expect(answer.json.remedy).toMatch(/\w/)
  expect(answer.text).not.toMatch(/node_modules|\.(js|ts):\d+/)
}
