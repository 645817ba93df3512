import type { IncomingHttpHeaders } from 'node:http'
import { NoVersion } from '../error-table.js'

// What pins an object that is read over HTTP, as the opaque ETag of ObjectStat:
//   "x"                              a strong ETag, sent as If-Match
//   W/"x"                            a weak one: If-Match would always fail, so only answers are compared
//   modified DATE, N bytes           where there is no ETag: Last-Modified, sent as If-Unmodified-Since, and the size

/** @throws NoVersion when the answer has neither ETag nor Last-Modified */
export function versionOf(uri: string, headers: IncomingHttpHeaders, size: number): string {
  const etag = textOf(headers.etag)
  if (etag) return etag
  const modified = textOf(headers['last-modified'])
  if (!modified) throw NoVersion(uri).with({ place: { shard: uri } })
  return `modified ${modified}, ${size} bytes`
}

/** Headers with which a server refuses to answer from another version. */
export function conditionOf(etag: string | undefined): Record<string, string> {
  if (etag === undefined || etag.startsWith('W/')) return {}
  const [, date] = /^modified (.*), \d+ bytes$/.exec(etag) ?? []
  return date === undefined ? { 'if-match': etag } : { 'if-unmodified-since': date }
}

export function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
