import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningS3, startS3 } from '@stoker/services'
import type { ObjectStore } from '../src/object-store.js'
import { createStore } from '../src/store.js'

export interface Backend {
  readonly store: ObjectStore
  /** URI prefix that nothing is stored under yet. */
  readonly base: string
  close(): Promise<void>
}

export async function fileBackend(): Promise<Backend & { dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-storage-'))
  const store = createStore({ fileRoots: [dir] })
  return { store, dir, base: `file://${dir}`, close: () => rm(dir, { recursive: true, force: true }) }
}

export async function s3Backend(): Promise<Backend & { server: RunningS3 }> {
  const server = await startS3()
  await server.bucket('data')
  const store = s3StoreAt(server)
  const close = async () => {
    await store.close()
    await server.stop()
  }
  return { store, server, base: 's3://data', close }
}

/** A store for the server, or for a proxy in front of it. */
export function s3StoreAt(server: RunningS3, url = server.url): ObjectStore {
  const { accessKeyId, secretAccessKey } = server
  return createStore({ fileRoots: [], s3: { endpoint: url, credentials: { accessKeyId, secretAccessKey } } })
}

/** Bytes that no shift or repetition of a part can be mistaken for. */
export function numberedBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at + 4 <= length; at += 4) view.setUint32(at, Math.imul(at + 1, 2654435761))
  return bytes
}

export const text = (value: string) => new TextEncoder().encode(value)

export async function failureOf(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}
