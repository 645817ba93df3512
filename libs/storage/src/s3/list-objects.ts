import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import type { CallOptions, ObjectStat } from '../object-store.js'
import { type BucketUri, bucketUri } from '../uri.js'
import { bareEtag } from './get-object.js'
import { s3Error } from './s3-error.js'

const PAGE_KEYS = 1000

export interface ListOptions extends CallOptions {
  /** Leaves out keys that have a slash after the prefix, without paging through them. */
  readonly isShallow?: boolean
}

/** Every object whose key begins with the prefix, in key order. Folder markers (`x/` of zero bytes) are left out. */
export async function listObjects(
  client: S3Client,
  place: Omit<BucketUri, 'key'>,
  prefix: string,
  { isShallow, signal }: ListOptions = {},
): Promise<{ key: string; stat: ObjectStat }[]> {
  // Keys come as they are, not url-encoded: servers disagree on what that encoding does to plus and space.
  const input = { Bucket: place.bucket, Prefix: prefix, ...(isShallow ? { Delimiter: '/' } : {}) }
  const pages = paginateListObjectsV2({ client, pageSize: PAGE_KEYS }, input, signal ? { abortSignal: signal } : {})
  const found: { key: string; stat: ObjectStat }[] = []
  try {
    for await (const page of pages) {
      for (const { Key: key = '', Size: size = 0, ETag } of page.Contents ?? []) {
        if (key.endsWith('/') && size === 0) continue
        found.push({ key, stat: { uri: bucketUri(place, key), size, etag: bareEtag(ETag) } })
      }
    }
  } catch (error) {
    throw s3Error(error, { action: 'list', uri: bucketUri(place, prefix), signal })
  }
  return found
}
