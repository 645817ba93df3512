import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { RecordFields, Tensor } from '@stoker/formats'
import { JobSchema, OP_VERSION, opDeclaration, parseJob, pipeline, range, type Stage } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileBatchStages, compileExpand, compileStages } from '../src/compile.js'
import { defineOp, loadOps, OP_WATCH_BYTES, openOpWatch, readOpWatch, useOps, watchOps } from '../src/index.js'
import { failureOf } from './support.js'

const TIMEOUT_MS = 300
let folder: string
const moduleOf = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/ops/${name}`, import.meta.url))
const ACME = moduleOf('acme.mjs')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-ops-'))
  await loadOps([ACME, moduleOf('faulty.mjs')], { timeoutMs: TIMEOUT_MS })
})
afterAll(() => rm(folder, { recursive: true }))

const id = (value: number): RecordFields => ({
  id: { dtype: 'int64', shape: [], data: BigInt64Array.of(BigInt(value)) },
})
const run = (stage: Stage, record: RecordFields, key = 0) => compileStages([stage])(record, { key })

const job = (...stages: object[]) => ({
  pipeline: { source: { type: 'range', stop: 10 }, stages: [...stages, { op: 'batch', size: 2 }] },
})

describe('an op of a user', () => {
  it('runs on a record, with defaults of its parameters filled in when the spec is checked', () => {
    const { job: checked } = parseJob(
      job(
        { op: 'rename', names: { value: 'p' } },
        { op: 'cast', field: 'p', dtype: 'uint8' },
        { op: 'acme.invert', field: 'p' },
      ),
    )
    const stage = checked.pipeline.stages[2]!
    expect(stage).toMatchObject({ op: 'acme.invert', most: 255 })
    const made = run(stage, { p: { dtype: 'uint8', shape: [2], data: Uint8Array.of(0, 200) } })
    expect(made).toEqual({ p: { dtype: 'uint8', shape: [2], data: Uint8Array.of(255, 55) } })
  })

  it('may answer with a promise and change the fields as its infer says', async () => {
    const stage: Stage = { op: 'acme.total', field: 'id', into: 'sum' }
    expect((await run(stage, id(7))).sum).toEqual({ dtype: 'float32', shape: [], data: Float32Array.of(7) })
    const { checked } = parseJob(job({ op: 'acme.total', field: 'value' }))
    expect(checked.recordSignature).toEqual({
      value: { dtype: 'int64', shape: [] },
      total: { dtype: 'float32', shape: [] },
    })
  })

  it('keeps, drops or multiplies records', async () => {
    const expand = compileExpand([{ op: 'acme.notMultiple', field: 'id', by: 3 }, { op: 'acme.twice' }])
    expect(await expand(id(9))).toEqual([])
    expect(await expand(id(10))).toEqual([id(10), id(10)])
  })

  it('works on a whole batch', () => {
    const batch = { x: { dtype: 'float32', shape: [2, 2], data: Float32Array.of(1, 2, 3, 6) } } as const
    const made = compileBatchStages([{ op: 'acme.centre', field: 'x' }])(batch, { key: 0 })
    expect(made).toEqual({ x: { dtype: 'float32', shape: [2, 2], data: Float32Array.of(-2, -1, 0, 3) } })
  })

  it('draws by the key of the record, each op of a chain its own numbers', () => {
    const x = { x: { dtype: 'float64', shape: [], data: Float64Array.of(0) } } as const
    const jitter: Stage = { op: 'acme.jitter', field: 'x' }
    const value = (stages: Stage[], key: number) => {
      const made = compileStages(stages)(x, { key }) as { x: Tensor }
      return Number(made.x.data[0])
    }
    expect(value([jitter], 5)).toBe(value([jitter], 5))
    expect(value([jitter], 5)).not.toBe(value([jitter], 6))
    expect(value([jitter, jitter], 5)).not.toBeCloseTo(2 * value([jitter], 5), 6)
  })

  it('is written with `op` in a chain', () => {
    const chain = pipeline(range(10)).op('acme.total', { field: 'value' }).batch(2)
    expect(chain.toJSON().stages[0]).toEqual({ op: 'acme.total', field: 'value' })
  })

  it('shows its parameters in the schema of jobs, from which the OpenAPI page is made', () => {
    const alternatives = (
      JobSchema.properties.pipeline as never as { properties: { stages: { items: { oneOf: object[] } } } }
    ).properties.stages.items.oneOf
    expect(JSON.parse(JSON.stringify(alternatives))).toContainEqual(
      expect.objectContaining({
        title: 'acme.invert',
        description: 'Most minus each pixel.',
        required: ['op', 'field'],
        properties: expect.objectContaining({
          op: { const: 'acme.invert', type: 'string' },
          most: { type: 'integer', minimum: 1, maximum: 255, default: 255 },
        }),
      }),
    )
  })
})

describe('at submission', () => {
  const failure = (...stages: object[]) => failureOf(() => parseJob(job(...stages)))

  it('parameters are checked like those of any op', async () => {
    expect(await failure({ op: 'acme.invert', field: 'value', most: 300 })).toMatchObject({
      code: 'STK_SPEC_INVALID',
      place: { path: 'pipeline.stages[0].most' },
    })
    expect(await failure({ op: 'acme.invert' })).toMatchObject({ place: { path: 'pipeline.stages[0].field' } })
    expect((await failure({ op: 'acme.invertt', field: 'value' })).remedy).toContain('acme.invert')
  })

  it('another version than the one loaded here is noticed, and the version is part of every hash', async () => {
    const stage = { op: 'acme.invert', field: 'value' }
    const { job: checked, specHash } = parseJob(job(stage))
    const version = String((checked.pipeline.stages[0] as Record<string, unknown>)[OP_VERSION])
    expect(version).toMatch(/^[0-9a-f]{16}$/)
    expect(parseJob(job({ ...stage, [OP_VERSION]: version })).specHash).toBe(specHash)
    expect(await failure({ ...stage, [OP_VERSION]: 'other' })).toMatchObject({
      code: 'STK_SPEC_OP_VERSION',
      place: { op: 'acme.invert', path: 'pipeline.stages[0]' },
    })
    // The worker, too, looks before it makes anything.
    const worker = await failureOf(() =>
      compileStages([{ op: 'acme.invert', field: 'p', most: 255, [OP_VERSION]: 'other' }]),
    )
    expect(worker).toMatchObject({ code: 'STK_SPEC_OP_VERSION', retryable: true })
  })

  it('a worker without the module says which op it lacks', async () => {
    expect(await failureOf(() => compileStages([{ op: 'acme.gone', field: 'x' }]))).toMatchObject({
      code: 'STK_OPS_MISSING',
      retryable: true,
      place: { op: 'acme.gone' },
    })
  })
})

describe('an op that goes wrong', () => {
  const faulty = (mode: string) =>
    failureOf(async () => run({ op: 'faulty.record', field: 'id', mode, from: 0 }, id(1)))

  it.each([
    ['throws', 'STK_USER_OP_FAILED', 'op faulty.record failed: RangeError: no such pixel'],
    ['rejects', 'STK_USER_OP_FAILED', 'op faulty.record failed: Error: the lookup service said no'],
    ['never', 'STK_USER_OP_TIMEOUT', `op faulty.record did not return within ${TIMEOUT_MS} ms`],
    ['nothing', 'STK_USER_OP_RESULT', 'op faulty.record returned nothing, no record'],
    ['array', 'STK_USER_OP_RESULT', 'op faulty.record returned Array in "id", which needs BigInt64Array of 1'],
    [
      'short',
      'STK_USER_OP_RESULT',
      'op faulty.record returned BigInt64Array of 1 in "id", which needs BigInt64Array of 2',
    ],
    ['type', 'STK_USER_OP_RESULT', 'op faulty.record returned "id" as int32[], where its infer says int64[]'],
    ['shape', 'STK_USER_OP_RESULT', 'op faulty.record returned "id" as int64[1], where its infer says int64[]'],
    ['unnamed', 'STK_USER_OP_RESULT', 'op faulty.record returned the field "extra", which its infer does not name'],
    ['lacking', 'STK_USER_OP_RESULT', 'op faulty.record returned no field "id"'],
    ['draws', 'STK_USER_OP_INVALID', 'it draws random numbers but is not declared with random: true'],
  ])('%s', async (mode, code, message) => {
    const failure = await faulty(mode)
    expect(failure).toMatchObject({ code, place: { op: 'faulty.record', field: mode === 'unnamed' ? 'extra' : 'id' } })
    expect(failure.message).toContain(message)
  })

  it('keeps the stack of what was thrown for the log', async () => {
    expect((await faulty('throws')).cause).toBeInstanceOf(RangeError)
  })
})

describe('what is refused when modules are loaded', () => {
  const run = (record: RecordFields) => record
  const failure = (op: object) => failureOf(() => useOps([defineOp({ run, ...op } as never)], 'v1'))

  it('names without a dot, and names of another op', async () => {
    expect(await failure({ name: 'invert' })).toMatchObject({ code: 'STK_SPEC_OP_NAME' })
    expect(await failure({ name: 'resize' })).toMatchObject({ code: 'STK_SPEC_OP_NAME' })
    expect(await failure({ name: 'acme.invert' })).toMatchObject({ code: 'STK_SPEC_OP_TAKEN' })
  })

  it('definitions that do not hold together', async () => {
    expect((await failure({ name: 'x.y', run: 7 })).message).toContain('run is no function')
    expect((await failure({ name: 'x.y', kind: 'map' })).message).toContain('kind is "map"')
    expect((await failure({ name: 'x.y', params: { opVersion: {} } })).message).toContain('no parameter can be named')
    expect((await failure({ name: 'x.y', kind: 'select', random: true })).message).toContain('cannot be random')
    useOps([defineOp({ name: 'x.badInfer', run, infer: () => 'nothing' as never })], 'v1')
    expect(await failureOf(() => opDeclaration('x.badInfer')!.infer({}, {} as never))).toMatchObject({
      code: 'STK_USER_OP_INVALID',
    })
  })

  it('modules that are missing, broken or empty', async () => {
    await writeFile(join(folder, 'broken.mjs'), 'export const x = ;')
    await writeFile(join(folder, 'empty.mjs'), 'export const x = 1')
    for (const [file, text] of [
      ['gone.mjs', 'ENOENT'],
      ['broken.mjs', ''],
      ['empty.mjs', 'exports nothing that defineOp made'],
    ] as const) {
      const failure = await failureOf(() => loadOps([join(folder, file)]))
      expect(failure).toMatchObject({ code: 'STK_USER_OPS_MODULE' })
      expect(failure.message).toContain(join(folder, file))
      expect(failure.message).toContain(text)
    }
  })

  it('but not what a module far from any node_modules imports: the process that loads it offers that', async () => {
    await copyFile(ACME, join(folder, 'acme.mjs'))
    const dist = new URL('../dist/index.js', import.meta.url).href
    const script = `
      const { loadOps } = await import(${JSON.stringify(dist)})
      console.log(JSON.stringify((await loadOps(['acme.mjs'])).map(({ name }) => name)))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
    })
    expect(JSON.parse(stdout)).toContain('acme.invert')
  })

  it('and not the same module a second time', async () => {
    const loaded = await loadOps([ACME])
    expect(loaded.map(({ name }) => name)).toContain('acme.centre')
  })
})

it('says in shared memory which op runs, for which record and how long', () => {
  const buffer = new SharedArrayBuffer(OP_WATCH_BYTES)
  let seen: ReturnType<typeof readOpWatch>
  const look = (record: RecordFields) => {
    seen = readOpWatch(buffer)
    return record
  }
  useOps([defineOp({ name: 'watch.look', run: look })], 'v1')
  watchOps(buffer)
  expect(readOpWatch(buffer)).toBeUndefined()
  compileStages([{ op: 'watch.look' }])(id(1), { key: 0, at: () => ({ shard: 3, record: 41 }) })
  expect(seen).toMatchObject({ op: 'watch.look', at: { shard: 3, record: 41 } })
  expect(seen!.forMs).toBeLessThan(60_000)
  expect(readOpWatch(buffer)).toBeUndefined()
  watchOps(undefined)
  const watch = openOpWatch(buffer)
  const leave = watch.enter('first.op', { batch: 2 })
  const leaveOther = watch.enter('second.op')
  expect(readOpWatch(buffer)).toMatchObject({ op: 'first.op', at: { batch: 2 } })
  leave()
  expect(readOpWatch(buffer)).toMatchObject({ op: 'second.op', at: {} })
  leaveOther()
  expect(readOpWatch(buffer)).toBeUndefined()
})
