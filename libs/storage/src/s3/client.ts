import { S3Client } from '@aws-sdk/client-s3'
import type { S3Config } from '../config.js'
import { MOST_ATTEMPTS, type OnRetry } from '../retry.js'
import { createRetryStrategy } from './retry-strategy.js'

export const CONNECT_MS = 5_000
/** Longest silence on a connection, within a body too. */
const SILENCE_MS = 60_000
const SOCKETS = 128

export interface ClientOptions {
  readonly onRetry?: OnRetry | undefined
  readonly dialect?: 's3' | 'gs'
}

export function createS3Client(config: S3Config, { onRetry, dialect }: ClientOptions = {}): S3Client {
  // The version is pinned, so its advice to move to a newer Node tells the user nothing.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const isAws = config.endpoint === undefined
  const region = config.region ?? (isAws ? undefined : 'us-east-1')
  const agent = { keepAlive: true, maxSockets: SOCKETS }
  const client = new S3Client({
    ...(isAws ? {} : { endpoint: config.endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(config.credentials ? { credentials: config.credentials } : {}),
    forcePathStyle: config.forcePathStyle ?? !isAws,
    followRegionRedirects: true,
    maxAttempts: MOST_ATTEMPTS,
    retryStrategy: createRetryStrategy(onRetry),
    // Many compatible servers do not know the newer checksum headers.
    requestChecksumCalculation: isAws ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
    // The SDK's checking stream does not pass a destroy on to the connection, which then would never be free again.
    // Lengths are checked here, record checksums by the formats.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  if (dialect === 'gs') takeStoredBytes(client)
  return client
}

/**
 * Google unpacks objects that carry Content-Encoding: gzip, and then ignores ranges, unless the client takes gzip:
 * https://cloud.google.com/storage/docs/transcoding. Its front end rewrites that header, so it must not be signed: it
 * is added in the step after signing.
 */
function takeStoredBytes(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args
      if (hasHeaders(request)) request.headers['accept-encoding'] = 'gzip'
      return next(args)
    },
    { step: 'deserialize', name: 'takeStoredBytes', priority: 'high' },
  )
}

function hasHeaders(request: unknown): request is { headers: Record<string, string> } {
  return typeof request === 'object' && request !== null && 'headers' in request
}
