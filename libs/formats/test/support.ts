import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Source, StokerError } from '@stoker/spec'
import { createStore, type ObjectStore } from '@stoker/storage'
import type { Located, RecordScanner } from '../src/byte-format/scanner.js'
import { createPageCache } from '../src/page-cache.js'
import type { TfrecordSource } from '../src/tfrecord.js'
import type { Format, FormatContext, RecordFields, ShardPin } from '../src/types.js'

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url)
export const fixture = (path: string): Buffer => readFileSync(new URL(path, FIXTURES))
export const golden = <T>(name: string): T => JSON.parse(fixture(`golden/${name}`).toString()) as T

export interface Desk {
  readonly store: ObjectStore
  readonly context: FormatContext & { pages: ReturnType<typeof createPageCache> }
  readonly base: string
  /** Stores bytes and pins them. */
  put(name: string, bytes: Uint8Array): Promise<ShardPin>
  close(): Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-formats-'))
  const store = createStore({ fileRoots: [dir] })
  return deskOn(store, `file://${dir}`, async () => {
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
}

export function deskOn(store: ObjectStore, base: string, close: () => Promise<void>): Desk {
  return {
    store,
    base,
    context: { store, scratch: `${base}/scratch`, pages: createPageCache(16 * 2 ** 20) },
    put: (name, bytes) => store.write(`${base}/${name}`, bytes),
    close,
  }
}

export const sourceOf = (compression: NonNullable<TfrecordSource['compression']>): TfrecordSource => ({
  type: 'tfrecord',
  files: 'not looked at here',
  compression,
})

/** The coded error that an action fails with. */
export async function failureOf(action: () => unknown): Promise<StokerError> {
  try {
    await action()
  } catch (error) {
    if (error instanceof StokerError) return error
    throw error
  }
  throw new Error('it did not fail')
}

/** Every record of an object, in order. */
export async function readAll<S extends Source>(
  format: Format<S>,
  pin: ShardPin,
  source: S,
  context: Desk['context'],
): Promise<RecordFields[]> {
  const index = await format.index(pin, source, context)
  return format.read(pin, index, source, [...Array(index.count).keys()], context)
}

/** Every record, or in its place the error that reading it gives. */
export async function readEach<S extends Source>(
  format: Format<S>,
  pin: ShardPin,
  source: S,
  context: Desk['context'],
): Promise<(RecordFields | StokerError)[]> {
  const index = await format.index(pin, source, context)
  const each: (RecordFields | StokerError)[] = []
  for (let record = 0; record < index.count; record++) {
    try {
      each.push(...(await format.read(pin, index, source, [record], context)))
    } catch (error) {
      if (!(error instanceof StokerError)) throw error
      each.push(error)
    }
  }
  return each
}

/** Elements as golden files spell them: whole numbers as decimals, floats as their bits, bytes as base64. */
export function spelled({ data }: RecordFields[string]): string[] {
  if (data instanceof Float32Array) {
    const bits = new Uint32Array(data.buffer, data.byteOffset, data.length)
    return Array.from(bits, (bit, at) => (Number.isNaN(data[at]) ? 'nan' : bit.toString(16).padStart(8, '0')))
  }
  if (data instanceof Float64Array) {
    const bits = new BigUint64Array(data.buffer, data.byteOffset, data.length)
    return Array.from(bits, (bit, at) => (Number.isNaN(data[at]) ? 'nan' : bit.toString(16).padStart(16, '0')))
  }
  if (data instanceof Uint8Array) return [Buffer.from(data).toString('base64')]
  if (Array.isArray(data)) return data.map((bytes) => Buffer.from(bytes).toString('base64'))
  return Array.from(data as ArrayLike<number | bigint>, String)
}

/** What a scanner finds when the bytes come in portions of one size. */
export function scanInChunks(scanner: RecordScanner, bytes: Uint8Array, chunkBytes: number): Located {
  for (let at = 0; at < bytes.length; at += chunkBytes) scanner.push(bytes.subarray(at, at + chunkBytes), at)
  return scanner.finish(bytes.length)
}

/** The same store, whose streams come in portions of one size. */
export function inChunks(store: ObjectStore, chunkBytes: number): ObjectStore {
  async function* stream(...args: Parameters<ObjectStore['stream']>): AsyncGenerator<Uint8Array> {
    for await (const part of store.stream(...args)) {
      for (let at = 0; at < part.length; at += chunkBytes) yield part.subarray(at, at + chunkBytes)
    }
  }
  return new Proxy(store, { get: (target, key) => (key === 'stream' ? stream : Reflect.get(target, key)) })
}
