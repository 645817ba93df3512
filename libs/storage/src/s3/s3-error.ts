import { S3ServiceException } from '@aws-sdk/client-s3'
import { StokerError } from '@stoker/spec'
import {
  AccessDenied,
  BucketMissing,
  NoCredentials,
  NoRegion,
  ObjectMissing,
  PathBlocked,
  StorageFailed,
  StorageUnavailable,
} from '../error-table.js'

export interface Attempt {
  readonly action: 'read' | 'write' | 'remove' | 'list'
  readonly uri: string
  readonly signal?: AbortSignal | undefined
}

/** HTTP status of a failed request, if it got as far as an answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

const TOKEN_TROUBLE = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired', 'AuthorizationHeaderMalformed'])
const NAME_BLOCKED = new Set(['ObjectParentIsFile', 'ExistingObjectIsDirectory'])
const NETWORK = /^(E[A-Z]+|EAI_AGAIN|CERT_.*|ERR_TLS_.*|ERR_SSL_.*)$/

/** A failure of the SDK as an error of the table; an abort as the signal's reason; anything else passes unchanged. */
export function s3Error(error: unknown, attempt: Attempt): unknown {
  if (attempt.signal?.aborted) return attempt.signal.reason
  if (error instanceof StokerError || !(error instanceof Error)) return error
  const known = { place: { shard: attempt.uri }, cause: withoutRequest(error) }
  if (error instanceof S3ServiceException) return answered(error, attempt).with(known)
  if (error.name === 'CredentialsProviderError') return NoCredentials(attempt.uri, error.message).with(known)
  // The SDK gives this one neither a name nor a code.
  if (error.message === 'Region is missing') return NoRegion(attempt.uri).with(known)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (error.name === 'TimeoutError' || NETWORK.test(code)) {
    // A connection that failed on several addresses (localhost as IPv6 and IPv4) has no text of its own.
    return StorageUnavailable(attempt.action, attempt.uri, error.message || code).with(known)
  }
  return error
}

/**
 * The SDK's error holds the request and the answer: headers with a signature, sockets, buffers. As the cause of an error
 * that is kept and logged only its name, text, HTTP status and request id may go on.
 */
export function withoutRequest(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const cause = new Error(error.message)
  cause.name = error.name
  if (!(error instanceof S3ServiceException)) return cause
  const { httpStatusCode, requestId } = error.$metadata
  return Object.assign(cause, { httpStatusCode, requestId })
}

function answered(error: S3ServiceException, { action, uri }: Attempt): StokerError {
  const status = error.$metadata.httpStatusCode ?? 0
  // An answer to HEAD has no body, so the SDK knows the status only and names the error by it or not at all.
  const reason = /^(\d+|Unknown.*|)$/.test(error.name) ? `HTTP ${status}` : error.name
  if (error.name === 'NoSuchBucket') return BucketMissing(uri)
  if (status === 404) return ObjectMissing(uri)
  if (status === 401 || status === 403 || TOKEN_TROUBLE.has(error.name)) return AccessDenied(action, uri, reason)
  if (NAME_BLOCKED.has(error.name)) return PathBlocked(uri, 'an object of that name is in the way')
  if (status === 409 || status === 429 || status >= 500) return StorageUnavailable(action, uri, reason)
  return StorageFailed(action, uri, error.message ? `${reason}: ${error.message}` : reason)
}
