import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StokerError } from '@stoker/spec'
import { createStore, type ObjectStore } from '@stoker/storage'
import { createPageCache } from '../src/page-cache.js'
import type { TfrecordSource } from '../src/tfrecord.js'
import type { FormatContext, ShardPin } from '../src/types.js'

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
