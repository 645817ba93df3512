import { isAbsolute, resolve } from 'node:path'
import { BadUri } from './error-table.js'

// URIs of s3:, gs: and file: are names, not web addresses: nothing in them is percent-encoded, and `?` and `#` mean
// nothing special. The name in a URI is the key or the path exactly as the store has it.

export interface BucketUri {
  readonly scheme: 's3' | 'gs'
  readonly bucket: string
  /** Empty for the bucket itself. */
  readonly key: string
}

export type Scheme = 's3' | 'gs' | 'file' | 'http'

/** @throws BadUri for any scheme but s3:, gs:, file:, https: and http: */
export function schemeOf(uri: string): Scheme {
  if (uri.startsWith('s3://')) return 's3'
  if (uri.startsWith('gs://')) return 'gs'
  if (uri.startsWith('file:')) return 'file'
  if (/^https?:\/\//i.test(uri)) return 'http'
  throw BadUri(uri, 'the scheme is none of s3:, gs:, file:, https: and http:')
}

export function parseBucketUri(uri: string): BucketUri {
  const [, scheme, bucket = '', key = ''] = /^(s3|gs):\/\/([^/]*)\/?(.*)$/s.exec(uri) ?? []
  if (scheme !== 's3' && scheme !== 'gs') throw BadUri(uri, 'it does not start with s3:// or gs://')
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._:-]+$/.test(bucket)) throw BadUri(uri, `"${bucket}" is no bucket name`)
  return { scheme, bucket, key }
}

export function bucketUri({ scheme, bucket }: Omit<BucketUri, 'key'>, key: string): string {
  return `${scheme}://${bucket}/${key}`
}

/** Absolute, normalised path of a `file:` URI; a relative one starts at `base`. Links are not resolved here. */
export function parseFileUri(uri: string, base: string | undefined): string {
  const rest = uri.slice('file:'.length)
  if (uri.includes('\0')) throw BadUri(uri, 'it holds a zero byte')
  if (rest.startsWith('//') && !rest.startsWith('///'))
    throw BadUri(uri, 'a file: URI names no host: write file:///path')
  if (rest === '') throw BadUri(uri, 'the path is empty')
  const path = rest.replace(/^\/+/, '/')
  if (isAbsolute(path)) return resolve(path)
  if (base === undefined) throw BadUri(uri, 'a relative path needs a folder to start at (STOKER_FILE_ROOTS)')
  return resolve(base, path)
}

export function fileUri(path: string): string {
  return `file://${path}`
}

/**
 * Appends path parts to a base URI, with exactly one slash between them.
 *
 * @example joinUri('s3://bucket/runs/', '/7', 'model.json') // 's3://bucket/runs/7/model.json'
 */
export function joinUri(base: string, ...parts: readonly string[]): string {
  const clean = parts.map((part) => part.replace(/^\/+|\/+$/g, '')).filter((part) => part !== '')
  if (clean.length === 0) return base
  const root = /^((s3|gs):\/\/|file:\/\/\/|file:)$/.test(base) ? base : `${base.replace(/\/+$/, '')}/`
  return root + clean.join('/')
}
