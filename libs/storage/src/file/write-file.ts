import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { piecesOf } from '../collect.js'
import { AlreadyExists, BadUri } from '../error-table.js'
import type { Body, ObjectStat, WriteOptions } from '../object-store.js'
import { errnoOf } from './file-error.js'
import { TEMP_PREFIX } from './find-files.js'
import { statOf } from './pinned-file.js'
import type { Roots } from './roots.js'

/**
 * Writes into a temporary file of the same folder, brings it to disk, and gives it its name in one step: by rename, or
 * by link (which fails when the name is taken) for `ifAbsent`. A writer that dies leaves a `.stoker-tmp-` file behind.
 */
export async function writeFileAtomically(
  roots: Roots,
  uri: string,
  path: string,
  body: Body,
  options: WriteOptions,
): Promise<ObjectStat> {
  if (basename(path).startsWith(TEMP_PREFIX))
    throw BadUri(uri, `names that begin with ${TEMP_PREFIX} are kept for writing`)
  const folder = await roots.makeFolder(dirname(path))
  const target = join(folder, basename(path))
  const temp = join(folder, TEMP_PREFIX + randomBytes(8).toString('hex'))
  const handle = await open(temp, 'wx')
  try {
    try {
      await roots.checkOpen(handle, path, temp)
      for await (const piece of piecesOf(body, options.signal)) await handle.writeFile(piece)
      await handle.datasync()
      const stat = statOf(uri, await handle.stat({ bigint: true }))
      options.signal?.throwIfAborted()
      if (options.ifAbsent) await linkNew(temp, target, uri)
      else await rename(temp, target)
      return stat
    } finally {
      await handle.close()
    }
  } finally {
    await rm(temp, { force: true })
  }
}

async function linkNew(temp: string, target: string, uri: string): Promise<void> {
  try {
    await link(temp, target)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw AlreadyExists(uri).with({ place: { shard: uri }, cause: error })
    throw error
  }
}
