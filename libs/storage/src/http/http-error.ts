import { StokerError } from '@stoker/spec'
import { AccessDenied, BadUri, ObjectMissing, StorageFailed, StorageUnavailable } from '../error-table.js'
import type { RetryReason } from '../retry.js'

/** Why it may help to ask again; undefined when it cannot. */
export function retryReason(status: number): RetryReason | undefined {
  if (status === 429 || status === 503) return 'THROTTLING'
  if (status === 408 || status === 500 || status === 502 || status === 504) return 'TRANSIENT'
  return status >= 500 ? 'SERVER_ERROR' : undefined
}

/** An answer that is no object, as an error of the table. */
export function answerError(uri: string, status: number): StokerError {
  const place = { place: { shard: uri } }
  if (status === 404 || status === 410) {
    if (!/[*[{]|%7B/i.test(uri)) return ObjectMissing(uri).with(place)
    return ObjectMissing(uri).with({ ...place, remedy: 'https: has no patterns: list the address of each object' })
  }
  if (status === 401 || status === 403 || status === 407) {
    return AccessDenied('read', uri, `HTTP ${status}`).with({
      ...place,
      remedy: 'name an address that needs no login: https: sends no credentials',
    })
  }
  if (retryReason(status)) return StorageUnavailable('read', uri, `HTTP ${status}`).with(place)
  return StorageFailed('read', uri, `HTTP ${status}`).with(place)
}

const NETWORK = /^(E[A-Z]+|EAI_AGAIN|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/
/** The name does not exist, the certificate is not right: asking again gives the same. */
const LASTING = /^(ENOTFOUND|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** Whether a failure before the answer may pass. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  return NETWORK.test(code) && !LASTING.test(code)
}

/** A failure before the answer as an error of the table; anything else passes unchanged. */
export function networkError(error: unknown, uri: string): unknown {
  const code = codeOf(error)
  if (error instanceof StokerError || !(error instanceof Error) || code === '') return error
  const known = { place: { shard: uri }, cause: error }
  const reason = error.message || code
  if (isPassing(error)) return StorageUnavailable('read', uri, reason).with(known)
  if (code === 'ERR_INVALID_URL') return BadUri(uri, 'it is no address').with(known)
  return StorageFailed('read', uri, reason).with(known)
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  // A connection that failed on several addresses has its codes within.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}
