import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { allocate } from '../collect.js'
import { ObjectMissing, RangeOutside, ShardChanged, TruncatedBody } from '../error-table.js'
import type { ByteRange, ObjectStat } from '../object-store.js'

const MOST_AT_ONCE = 1 << 30

/** Time of the last change, size and inode: a file written again differs in one of them. */
export function etagOf(stats: BigIntStats): string {
  return `${stats.mtimeNs}-${stats.size}-${stats.ino}`
}

export function statOf(uri: string, stats: BigIntStats): ObjectStat {
  return { uri, size: Number(stats.size), etag: etagOf(stats) }
}

/** An open file whose version was looked at on the open handle, so that a swap of the name cannot slip in between. */
export class PinnedFile {
  private constructor(
    readonly stat: ObjectStat,
    private readonly handle: FileHandle,
  ) {}

  /**
   * @param check throws where the open file is not one that may be read
   * @param etag the version that is wanted, if it matters
   */
  static async open(
    uri: string,
    realPath: string,
    check: (handle: FileHandle) => Promise<void>,
    etag: string | undefined,
  ): Promise<PinnedFile> {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever. O_NOFOLLOW: links are resolved already.
    const handle = await open(realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      await check(handle)
      const stats = await handle.stat({ bigint: true })
      if (!stats.isFile()) throw ObjectMissing(uri).with({ place: { shard: uri }, remedy: 'name a regular file' })
      const stat = statOf(uri, stats)
      if (etag !== undefined && etag !== stat.etag) throw changed(uri, etag, stat.etag)
      return new PinnedFile(stat, handle)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** @throws RangeOutside, TruncatedBody when the file got shorter meanwhile */
  async read({ offset, length }: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const { uri, size } = this.stat
    if (!isRange(offset, length) || offset + length > size) {
      throw RangeOutside(uri, offset, offset + length - 1, size).with({ place: { shard: uri, offset } })
    }
    const bytes = allocate(length)
    for (let done = 0; done < length; ) {
      signal?.throwIfAborted()
      const { bytesRead } = await this.handle.read(bytes, done, Math.min(length - done, MOST_AT_ONCE), offset + done)
      if (bytesRead === 0) throw TruncatedBody(uri, length, done).with({ place: { shard: uri, offset } })
      done += bytesRead
    }
    return bytes
  }

  /** @throws ShardChanged when somebody wrote into the file since it was opened */
  async checkUnchanged(): Promise<void> {
    const now = etagOf(await this.handle.stat({ bigint: true }))
    if (now !== this.stat.etag) throw changed(this.stat.uri, this.stat.etag, now)
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}

function isRange(offset: number, length: number): boolean {
  return Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0
}

function changed(uri: string, pinned: string, now: string) {
  return ShardChanged(uri, pinned, now).with({ place: { shard: uri } })
}
