import { type FileHandle, lstat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BadUri, NoMatch, ObjectMissing, OutsideRoots } from '../error-table.js'
import { hasGlob, parseGlob } from '../glob.js'
import { mapBounded } from '../map-bounded.js'
import {
  type Body,
  type ByteRange,
  type CallOptions,
  type ObjectStat,
  type ObjectStore,
  type ReadOptions,
  sortedByUri,
  type WriteOptions,
} from '../object-store.js'
import { fileUri, parseFileUri } from '../uri.js'
import { errnoOf, fileError, isMissing } from './file-error.js'
import { findFiles } from './find-files.js'
import { PinnedFile } from './pinned-file.js'
import { Roots } from './roots.js'
import { writeFileAtomically } from './write-file.js'

const STATS_AT_ONCE = 16
const STREAM_BYTES = 1024 * 1024

/** The store of `file:` URIs. An object is a regular file; folders come with their first file and mean nothing else. */
export class FileStore implements ObjectStore {
  readonly #roots: Roots

  constructor(roots: readonly string[]) {
    this.#roots = new Roots(roots)
  }

  async list(pattern: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const path = this.#path(pattern)
    const uri = fileUri(path)
    const literal = await this.#statOrNone(path, 'list')
    if (literal) return [literal]
    const found = hasGlob(path) ? await this.#find(path, uri, signal) : []
    if (found.length === 0) throw NoMatch(pattern).with({ place: { shard: uri } })
    return found
  }

  async stat(uri: string, { signal }: CallOptions = {}): Promise<ObjectStat> {
    signal?.throwIfAborted()
    return this.#withFile(uri, {}, async (file) => file.stat)
  }

  async read(uri: string, range: ByteRange, options: ReadOptions = {}): Promise<Uint8Array> {
    return this.#withFile(uri, options, async (file) => {
      const bytes = await file.read(range, options.signal)
      if (options.etag !== undefined) await file.checkUnchanged()
      return bytes
    })
  }

  readAll(uri: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return this.#withFile(uri, options, async (file) => {
      const bytes = await file.read({ offset: 0, length: file.stat.size }, options.signal)
      await file.checkUnchanged()
      return bytes
    })
  }

  async *stream(uri: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
    const file = await this.#open(this.#path(uri), options)
    try {
      for (let offset = 0; offset < file.stat.size; offset += STREAM_BYTES) {
        const piece = await file.read(
          { offset, length: Math.min(STREAM_BYTES, file.stat.size - offset) },
          options.signal,
        )
        await file.checkUnchanged()
        yield piece
      }
    } catch (error) {
      throw fileError(error, 'read', file.stat.uri)
    } finally {
      await file.close()
    }
  }

  async write(uri: string, body: Body, options: WriteOptions = {}): Promise<ObjectStat> {
    if (uri.endsWith('/')) throw BadUri(uri, 'it names a folder')
    const path = this.#path(uri)
    try {
      return await writeFileAtomically(this.#roots, fileUri(path), path, body, options)
    } catch (error) {
      throw fileError(error, 'write', fileUri(path))
    }
  }

  async remove(uri: string): Promise<void> {
    const path = this.#path(uri)
    try {
      // A link itself is removed, not what it leads to, so only its folder must lie inside.
      await unlink(join(await this.#roots.realPath(dirname(path)), basename(path)))
    } catch (error) {
      if (!isMissing(error) && errnoOf(error) !== 'EISDIR') throw fileError(error, 'remove', fileUri(path))
    }
  }

  async walk(prefix: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const path = this.#path(prefix)
    return this.#find('**', fileUri(path), signal, path)
  }

  async canonical(uri: string): Promise<string> {
    return fileUri(this.#path(uri))
  }

  async close(): Promise<void> {}

  #path(uri: string): string {
    return parseFileUri(uri, this.#roots.paths[0])
  }

  async #find(pattern: string, uri: string, signal: AbortSignal | undefined, from = '/'): Promise<ObjectStat[]> {
    try {
      // A pattern may cross links that lead outside the roots: what lies there is left out, unless there is nothing else.
      let outside: unknown
      const onOutside = (error: unknown) => {
        outside ??= error
      }
      const paths = new Set<string>()
      for (const segments of parseGlob(pattern).alternatives) {
        await findFiles(this.#roots, from, from === '/' ? segments.slice(1) : segments, { paths, onOutside })
      }
      const stats = await mapBounded([...paths], STATS_AT_ONCE, async (path) => {
        signal?.throwIfAborted()
        return this.#statOrNone(path, 'list').catch((error: unknown) => {
          if (!OutsideRoots.is(error)) throw error
          onOutside(error)
          return undefined
        })
      })
      const found = sortedByUri(stats.filter((stat) => stat !== undefined))
      if (found.length === 0 && outside !== undefined) throw outside
      return found
    } catch (error) {
      throw fileError(error, 'list', uri)
    }
  }

  /** None for a folder and for a name that is not there; a link that leads nowhere is an error, lest data be left out. */
  async #statOrNone(path: string, action: 'list'): Promise<ObjectStat | undefined> {
    try {
      const file = await this.#open(path, {})
      await file.close()
      return file.stat
    } catch (error) {
      if (!ObjectMissing.is(error)) throw fileError(error, action, fileUri(path))
      const isDangling = await lstat(path).then(
        (stats) => stats.isSymbolicLink() && isMissing(error.cause),
        () => false,
      )
      if (isDangling) throw error
      return undefined
    }
  }

  async #withFile<T>(uri: string, options: ReadOptions, action: (file: PinnedFile) => Promise<T>): Promise<T> {
    const file = await this.#open(this.#path(uri), options)
    try {
      return await action(file)
    } catch (error) {
      throw fileError(error, 'read', file.stat.uri)
    } finally {
      await file.close()
    }
  }

  async #open(path: string, { etag, signal }: ReadOptions): Promise<PinnedFile> {
    signal?.throwIfAborted()
    try {
      const realPath = await this.#roots.realPath(path)
      const check = (handle: FileHandle) => this.#roots.checkOpen(handle, path, realPath)
      return await PinnedFile.open(fileUri(path), realPath, check, etag)
    } catch (error) {
      throw fileError(error, 'read', fileUri(path))
    }
  }
}
