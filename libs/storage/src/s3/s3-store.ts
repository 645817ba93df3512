import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { allocate, collect } from '../collect.js'
import type { S3Config } from '../config.js'
import { BadUri, NoMatch, ObjectMissing, RangeOutside, ShardChanged, TruncatedBody } from '../error-table.js'
import { hasGlob, literalPrefix, parseGlob } from '../glob.js'
import {
  type Body,
  type ByteRange,
  type CallOptions,
  type ObjectStat,
  type ObjectStore,
  type ReadOptions,
  sortedByUri,
  type WriteOptions,
} from '../object-store.js'
import { parseS3Uri, s3Uri } from '../uri.js'
import { createS3Client } from './client.js'
import { getObject, headObject } from './get-object.js'
import { listObjects } from './list-objects.js'
import { putObject } from './put-object.js'
import { RETRIES, retryTruncated, waitBeforeRetry } from './retry.js'
import { s3Error } from './s3-error.js'

/** The store of `s3:` URIs: AWS, or any server that speaks S3. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client

  constructor(config: S3Config) {
    this.#client = createS3Client(config)
  }

  async list(pattern: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const { bucket, key } = parseS3Uri(pattern)
    const found = hasGlob(key) ? await this.#match(bucket, key, signal) : await this.#literal(bucket, key, signal)
    if (found.length === 0) throw NoMatch(pattern).with({ place: { shard: pattern } })
    return found
  }

  async stat(uri: string, { signal }: CallOptions = {}): Promise<ObjectStat> {
    return headObject(this.#client, objectUri(uri), signal)
  }

  async read(uri: string, range: ByteRange, options: ReadOptions = {}): Promise<Uint8Array> {
    const name = objectUri(uri)
    const { offset, length } = range
    if (!(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length > 0)) {
      return this.#readNothing(name, range, options)
    }
    return retryTruncated(async () => {
      const { chunks } = await getObject(this.#client, name, { ...options, range })
      const bytes = allocate(length)
      let at = 0
      for await (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return bytes
    }, options.signal)
  }

  readAll(uri: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return collect(this.stream(uri, options))
  }

  /** A connection that breaks off is taken up where it broke, pinned to the version that the stream began with. */
  async *stream(uri: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
    const name = objectUri(uri)
    let { etag } = options
    let size = Number.POSITIVE_INFINITY
    let failures = 0
    for (let at = 0; at < size; ) {
      const range = at > 0 ? { range: { offset: at, length: size - at } } : {}
      const pin = etag === undefined ? {} : { etag }
      const { stat, chunks } = await getObject(this.#client, name, { ...options, ...pin, ...range })
      ;({ etag, size } = stat)
      try {
        for await (const chunk of chunks) {
          at += chunk.length
          failures = 0
          yield chunk
        }
      } catch (error) {
        if (!TruncatedBody.is(error) || ++failures > RETRIES.TRUNCATED.retries) throw error
        await waitBeforeRetry(failures, options.signal)
      }
    }
  }

  async write(uri: string, body: Body, options: WriteOptions = {}): Promise<ObjectStat> {
    const name = objectUri(uri)
    if (name.endsWith('/')) throw BadUri(uri, 'it names a folder')
    return putObject(this.#client, name, body, options)
  }

  async remove(uri: string): Promise<void> {
    const { bucket, key } = parseS3Uri(objectUri(uri))
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    } catch (error) {
      const failure = s3Error(error, { action: 'remove', uri })
      if (!ObjectMissing.is(failure)) throw failure
    }
  }

  async walk(prefix: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const { bucket, key } = parseS3Uri(prefix)
    const folder = key === '' || key.endsWith('/') ? key : `${key}/`
    const found = await listObjects(this.#client, bucket, folder, signal ? { signal } : {})
    return sortedByUri(found.map(({ stat }) => stat))
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  async #literal(bucket: string, key: string, signal: AbortSignal | undefined): Promise<ObjectStat[]> {
    if (key === '' || key.endsWith('/')) return []
    try {
      return [await headObject(this.#client, s3Uri(bucket, key), signal)]
    } catch (error) {
      if (ObjectMissing.is(error)) return []
      throw error
    }
  }

  async #match(bucket: string, key: string, signal: AbortSignal | undefined): Promise<ObjectStat[]> {
    const glob = parseGlob(key)
    const prefix = literalPrefix(key)
    // Where no slash can follow the prefix, the server leaves the deeper keys out of the listing.
    const isShallow = !/\/|\*\*/.test(key.slice(prefix.length))
    const found = await listObjects(this.#client, bucket, prefix, { isShallow, ...(signal ? { signal } : {}) })
    const literal = found.find((object) => object.key === key)
    if (literal) return [literal.stat]
    return sortedByUri(found.filter((object) => glob.matches(object.key)).map(({ stat }) => stat))
  }

  /** No bytes cannot be asked for by a range, but the object must be there, unchanged, and long enough. */
  async #readNothing(uri: string, { offset, length }: ByteRange, { etag, signal }: ReadOptions): Promise<Uint8Array> {
    const stat = await headObject(this.#client, uri, signal)
    if (etag !== undefined && etag !== stat.etag)
      throw ShardChanged(uri, etag, stat.etag).with({ place: { shard: uri } })
    if (length === 0 && offset >= 0 && offset <= stat.size) return new Uint8Array(0)
    throw RangeOutside(uri, offset, offset + length - 1, stat.size).with({ place: { shard: uri } })
  }
}

function objectUri(uri: string): string {
  const { bucket, key } = parseS3Uri(uri)
  if (key === '') throw BadUri(uri, 'it names a bucket, not an object')
  return s3Uri(bucket, key)
}
