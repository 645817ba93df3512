import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Look, lookInside } from '../../src/inspect/index.js'

let dir: string
let store: ObjectStore
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'stoker-look-')))
  store = createStore({ fileRoots: [dir] })
  for (const [shard, first] of [0, 3].entries()) {
    const records = [0, 1, 2].map((step) => encodeExample({ id: { int64: [first + step] } }))
    await writeFile(join(dir, `ids-${shard}.tfrecord`), writeTfrecord(records))
  }
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

interface Options {
  readonly skip?: number
  readonly take?: number
  readonly source?: unknown
}

async function look(document: unknown, options: Options = {}): Promise<Look[]> {
  const looks: Look[] = []
  const context = { store, scratch: `file://${dir}/scratch` }
  for await (const one of lookInside({ document, context, ...options })) looks.push(one.look)
  return looks
}
const range = (stop: number) => ({ type: 'range', stop })
const lastOf = ({ stages = [], fields }: Look, name = 'value') => (stages.at(-1)?.fields ?? fields)?.[name]?.values?.[0]
const shards = { type: 'tfrecord', files: 'file:ids-*.tfrecord' }
const parse = { op: 'parseExample', features: { id: { kind: 'fixedLen', dtype: 'int64' } } }

describe('looking inside', () => {
  it('shows a record as it is and after each stage, whatever the document is', async () => {
    const stages = [
      { op: 'cast', field: 'value', dtype: 'float32' },
      { op: 'scale', field: 'value', factor: 0.5 },
    ]
    const chain = { source: range(2), stages }
    const whole = {
      source: range(2),
      stages: [{ op: 'shuffle', bufferSize: 9 }, ...stages, { op: 'batch', size: 2 }, { op: 'prefetch' }],
    }
    for (const document of [chain, { pipeline: chain }, { name: 'x', pipeline: whole, train: { model: {} } }]) {
      const looks = await look(document)
      expect(looks).toHaveLength(2)
      expect(looks[1]).toMatchObject({
        ...{ shard: 'range:', record: 1, fields: { value: { dtype: 'int64', values: ['1'] } } },
        stages: [
          { op: 'cast', fields: { value: { dtype: 'float32', shape: [], values: [1] } } },
          { op: 'scale', fields: { value: { values: [0.5] } } },
        ],
      })
    }
  })

  it('shows elementwise ops that stand after batch', async () => {
    const stages = [
      { op: 'batch', size: 2 },
      { op: 'cast', field: 'value', dtype: 'int32' },
    ]
    expect((await look({ source: range(1), stages }))[0]?.stages).toMatchObject([{ op: 'cast' }])
  })

  it('goes through shards in order, and reads from where it is told', async () => {
    const all = await look({ source: shards, stages: [parse] })
    expect(all.map((one) => [one.shard.slice(-14), one.record, lastOf(one, 'id')])).toEqual([
      ['ids-0.tfrecord', 0, '0'],
      ['ids-0.tfrecord', 1, '1'],
      ['ids-0.tfrecord', 2, '2'],
      ['ids-1.tfrecord', 0, '3'],
      ['ids-1.tfrecord', 1, '4'],
      ['ids-1.tfrecord', 2, '5'],
    ])
    const some = await look({ source: shards, stages: [parse] }, { skip: 2, take: 2 })
    expect(some.map((one) => lastOf(one, 'id'))).toEqual(['2', '3'])
    expect(await look({ source: shards, stages: [] }, { take: 0 })).toEqual([])
  })

  it('shows byte strings that no batch could carry', async () => {
    const stages = [{ op: 'batch', size: 2 }]
    expect((await look({ source: shards, stages }))[0]?.fields?.record).toMatchObject({ dtype: 'string' })
  })

  it('says which records a filter leaves out, and shows each part of an unbatched one', async () => {
    const kept = await look({ source: range(3), stages: [{ op: 'filter', field: 'value', notEquals: 1 }] })
    expect(kept.map(({ stages }) => stages?.[0]?.dropped ?? false)).toEqual([false, true, false])
    await writeFile(join(dir, 'rows.tfrecord'), writeTfrecord([encodeExample({ v: { int64: [7, 8] } })]))
    const rows = { op: 'parseExample', features: { v: { kind: 'fixedLen', dtype: 'int64', shape: [2] } } }
    const parts = await look({
      source: { type: 'tfrecord', files: 'file:rows.tfrecord' },
      stages: [rows, { op: 'unbatch' }],
    })
    expect(parts.map((one) => [one.record, one.part, lastOf(one, 'v')])).toEqual([
      [0, 0, '7'],
      [0, 1, '8'],
    ])
  })

  it('combines inputs: one after the other, or side by side', async () => {
    const double = { op: 'scale', field: 'value', factor: 2 }
    const input = { source: range(2), stages: [{ op: 'cast', field: 'value', dtype: 'float32' }, double] }
    const inputs = [input, { source: range(3), stages: [{ op: 'cast', field: 'value', dtype: 'float32' }] }]
    const concatenated = await look({ source: { type: 'concatenate', inputs }, stages: [double] })
    expect(concatenated.map((one) => lastOf(one))).toEqual([0, 4, 0, 2, 4])
    const [first, second] = inputs
    const renamed = { ...second, stages: [...(second?.stages ?? []), { op: 'rename', names: { value: 'other' } }] }
    const zipped = await look({ source: { type: 'zip', inputs: [first, renamed] }, stages: [] })
    expect(zipped.map((one) => [lastOf(one), lastOf(one, 'other')])).toEqual([
      [0, 0],
      [2, 1],
    ])
  })

  it('takes another source for the stages of a document', async () => {
    const looks = await look({ source: range(5), stages: [parse] }, { source: shards })
    expect(looks.map((one) => lastOf(one, 'id'))).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  it('refuses a chain that does not hold together, with its place', async () => {
    const stages = [{ op: 'cast', field: 'nothing', dtype: 'int32' }]
    await expect(look({ pipeline: { source: range(1), stages } })).rejects.toMatchObject({
      ...{ code: 'STK_SPEC_MISSING_FIELD', place: { path: 'pipeline.stages[0]' } },
    })
    await expect(look({ source: { type: 'tfrecord', files: 'file:none-*' }, stages: [] })).rejects.toMatchObject({
      code: 'STK_STORAGE_NO_MATCH',
    })
  })
})
