import { isAbsolute, resolve } from 'node:path'
import { BadUri } from './error-table.js'

// URIs are names, not web addresses: nothing in them is percent-encoded, and `?` and `#` mean nothing special. The
// name in a URI is the key or the path exactly as the store has it.

export interface S3Uri {
  readonly bucket: string
  readonly key: string
}

export type Scheme = 's3' | 'file'

/** @throws BadUri for any scheme but s3: and file: */
export function schemeOf(uri: string): Scheme {
  if (uri.startsWith('s3://')) return 's3'
  if (uri.startsWith('file:')) return 'file'
  throw BadUri(uri, 'the scheme is neither s3: nor file:')
}

/** `key` is empty for the bucket itself. */
export function parseS3Uri(uri: string): S3Uri {
  const [, bucket, key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(uri) ?? []
  if (bucket === undefined) throw BadUri(uri, 'it does not start with s3://')
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._:-]+$/.test(bucket)) throw BadUri(uri, `"${bucket}" is no bucket name`)
  return { bucket, key }
}

export function s3Uri(bucket: string, key: string): string {
  return `s3://${bucket}/${key}`
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
  const root = /^(s3:\/\/|file:\/\/\/|file:)$/.test(base) ? base : `${base.replace(/\/+$/, '')}/`
  return root + clean.join('/')
}
