import { resolve, sep } from 'node:path'
import { STATE_FOLDER, type StorageConfig, storageConfigFromEnv } from '@stoker/storage'

/** A path as a `file:` URI; what has a scheme stays as it is. */
export function asUri(text: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return text
  return `file://${resolve(text)}${/[/\\]$/.test(text) ? '/' : ''}`
}

/**
 * All that this user can read: no job of somebody else is run here. Relative `file:` URIs start at the first folder of
 * STOKER_FILE_ROOTS, or at the working directory. A state folder is looked into where it is named.
 */
export function localStorage(env: NodeJS.ProcessEnv, source: string | undefined): StorageConfig {
  const { fileRoots, allowed: _, ...rest } = storageConfigFromEnv(env)
  const named = source === undefined ? undefined : stateFolderIn(asUri(source))
  const roots = [...(fileRoots.length > 0 ? fileRoots : [process.cwd()]), ...(named === undefined ? [] : [named]), sep]
  return { ...rest, fileRoots: roots }
}

function stateFolderIn(uri: string): string | undefined {
  if (!uri.startsWith('file:/')) return undefined
  const path = uri.replace(/^file:(\/\/)?/, '')
  const end = path.lastIndexOf(`${sep}${STATE_FOLDER}${sep}`)
  return end < 0 ? undefined : path.slice(0, end + 1 + STATE_FOLDER.length)
}
