import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canStartS3, type RunningS3, startS3 } from '@stoker/services'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLines } from '../src/json-lines.js'
import { textLines } from '../src/text-lines.js'
import { type Desk, deskOn, fixture, readAll } from './support.js'

// Cases s3-paging-h and key-names-h of other people's systems: what a listing leaves out is not trained on.
describe.skipIf(!(await canStartS3()))('a source of many objects on s3:', { timeout: 180_000 }, () => {
  let server: RunningS3
  let store: ObjectStore
  let desk: Desk
  beforeAll(async () => {
    server = await startS3()
    await server.bucket('data')
    const { url: endpoint, accessKeyId, secretAccessKey } = server
    store = createStore({ fileRoots: [], s3: { endpoint, credentials: { accessKeyId, secretAccessKey } } })
    desk = deskOn(store, 's3://data', () => store.close())
  }, 300_000)
  afterAll(async () => {
    await desk?.close()
    await server?.stop()
  })

  it('has all of them, past the first thousand', async () => {
    const folder = join(server.dir, 'data/data/big')
    await mkdir(folder)
    // The server's objects are files; made as files, these take a moment instead of a thousand requests.
    const name = (at: number) => `part-${String(at).padStart(5, '0')}.jsonl`
    await Promise.all(Array.from({ length: 1005 }, (_, at) => writeFile(join(folder, name(at)), `{"id": ${at}}\n`)))
    const source = {
      type: 'jsonLines',
      files: 's3://data/big/*',
      features: { id: { dtype: 'int64' } },
      compression: 'NONE',
    } as const
    const pins = await jsonLines.pin(source, desk.context)
    expect(pins.map(({ uri }) => uri)).toEqual(Array.from({ length: 1005 }, (_, at) => `s3://data/big/${name(at)}`))
    let sum = 0n
    let records = 0
    for (let from = 0; from < pins.length; from += 16) {
      const read = pins.slice(from, from + 16).map((pin) => readAll(jsonLines, pin, source, desk.context))
      for (const record of (await Promise.all(read)).flat()) {
        const data = record.id?.data
        sum += data instanceof BigInt64Array ? (data[0] ?? 0n) : 0n
        records++
      }
    }
    expect({ records, sum }).toEqual({ records: 1005, sum: 504510n })
  })

  it('has each once, whatever its name, in the order of the bytes of their names', async () => {
    const { objects } = JSON.parse(fixture('cases/files/keys/space_plus_unicode.json').toString()) as {
      objects: { key: string; base64: string }[]
    }
    for (const { key, base64 } of objects) await desk.put(key, Buffer.from(base64, 'base64'))
    const source = { type: 'textLines', files: 's3://data/train set/*' } as const
    const pins = await textLines.pin(source, desk.context)
    const lines = await Promise.all(pins.map((pin) => readAll(textLines, pin, source, desk.context)))
    expect(lines.flat().map(({ line }) => Buffer.from(line?.data as Uint8Array).toString())).toEqual([
      'k0',
      'k4',
      'k5',
      'k1',
      'k2',
      'k3',
    ])
    expect(pins.map(({ uri }) => uri)).toContain('s3://data/train set/pärt-00002.txt')
  })
})
