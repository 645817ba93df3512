import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OutsideRoots } from '../error-table.js'
import { ANY_DEPTH, type GlobSegment, segmentMatches } from '../glob.js'
import { isMissing } from './file-error.js'
import { type Roots, STATE_FOLDER } from './roots.js'

/** Names of files that are being written; no listing shows them. */
export const TEMP_PREFIX = '.stoker-tmp-'

export interface Found {
  /** May be files: regular files and links, which may lead to a folder or nowhere. */
  readonly paths: Set<string>
  /** Told of a folder that lies outside the roots and is left out. */
  readonly onOutside: (error: unknown) => void
}

/**
 * Paths below `folder` that may be files matching the segments. Links to folders are followed where a segment names
 * them, but not by `**`, where they could form a cycle. State folders are entered only by their name.
 */
export async function findFiles(
  roots: Roots,
  folder: string,
  segments: readonly GlobSegment[],
  found: Found,
): Promise<void> {
  const [segment, ...rest] = segments
  if (segment === undefined) return
  if (segment.kind === 'literal') {
    const path = join(folder, segment.name)
    if (rest.length > 0) return findFiles(roots, path, rest, found)
    found.paths.add(path)
    return
  }
  if (segment === ANY_DEPTH) await findFiles(roots, folder, rest, found)
  for (const entry of await entriesOf(roots, folder, found)) {
    if (entry.name === STATE_FOLDER) continue
    const path = join(folder, entry.name)
    if (segment === ANY_DEPTH) {
      if (entry.isDirectory()) await findFiles(roots, path, segments, found)
    } else if (!segmentMatches(segment, entry.name)) {
    } else if (rest.length === 0) {
      if ((entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith(TEMP_PREFIX)) found.paths.add(path)
    } else if (entry.isDirectory() || entry.isSymbolicLink()) {
      await findFiles(roots, path, rest, found)
    }
  }
}

async function entriesOf(roots: Roots, folder: string, { onOutside }: Found): Promise<Dirent[]> {
  try {
    return await readdir(await roots.realPath(folder), { withFileTypes: true })
  } catch (error) {
    if (OutsideRoots.is(error)) onOutside(error)
    else if (!isMissing(error)) throw error
    return []
  }
}
