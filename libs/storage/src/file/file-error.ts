import { StokerError } from '@stoker/spec'
import { AccessDenied, ObjectMissing, PathBlocked, StorageFailed, StorageUnavailable } from '../error-table.js'

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
}

/** A failure of the file system as an error of the table; anything else (an abort, for one) passes unchanged. */
export function fileError(error: unknown, action: 'read' | 'write' | 'remove' | 'list', uri: string): unknown {
  const errno = errnoOf(error)
  if (error instanceof StokerError || !(error instanceof Error) || !errno?.startsWith('E')) return error
  const known = { place: { shard: uri }, cause: error }
  switch (errno) {
    case 'ENOENT':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return ObjectMissing(uri).with(known)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return AccessDenied(action, uri, errno).with(known)
    case 'EISDIR':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOTEMPTY':
      if (action === 'write') return PathBlocked(uri, 'a file or folder of that name is in the way').with(known)
      return ObjectMissing(uri).with(known)
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'EIO':
    case 'ESTALE':
    case 'ETIMEDOUT':
    case 'ENOSPC':
      return StorageUnavailable(action, uri, error.message).with(known)
    default:
      return StorageFailed(action, uri, error.message).with(known)
  }
}
