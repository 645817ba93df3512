import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { collect } from '../collect.js'
import type { S3Config } from '../config.js'
import { AlreadyExists, BadUri, NoMatch, ObjectMissing } from '../error-table.js'
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
import { type Remote, readRange, streamWhole } from '../remote/reads.js'
import type { OnRetry } from '../retry.js'
import { type BucketUri, bucketUri, parseBucketUri } from '../uri.js'
import { createS3Client } from './client.js'
import { getObject, headObject } from './get-object.js'
import { listObjects } from './list-objects.js'
import { putObject } from './put-object.js'
import { s3Error } from './s3-error.js'

/** The store of `s3:` URIs (AWS, or any server that speaks S3) or of `gs:` URIs. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client
  readonly #remote: Remote
  /** Whether the server refuses to write over an object when it is told so. */
  readonly #hasConditionalWrites: boolean

  constructor(config: S3Config, options: { onRetry?: OnRetry | undefined; dialect?: 's3' | 'gs' } = {}) {
    const client = createS3Client(config, options)
    this.#client = client
    this.#hasConditionalWrites = options.dialect !== 'gs'
    this.#remote = {
      get: (uri, call) => getObject(client, uri, call),
      head: (uri, { signal }) => headObject(client, uri, signal),
      onRetry: options.onRetry,
    }
  }

  async list(pattern: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const place = parseBucketUri(pattern)
    const found = hasGlob(place.key) ? await this.#match(place, signal) : await this.#literal(place, signal)
    if (found.length === 0) throw NoMatch(pattern).with({ place: { shard: pattern } })
    return found
  }

  async stat(uri: string, { signal }: CallOptions = {}): Promise<ObjectStat> {
    return headObject(this.#client, objectUri(uri), signal)
  }

  async read(uri: string, range: ByteRange, options: ReadOptions = {}): Promise<Uint8Array> {
    return readRange(this.#remote, objectUri(uri), range, options)
  }

  readAll(uri: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return collect(this.stream(uri, options))
  }

  async *stream(uri: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
    yield* streamWhole(this.#remote, objectUri(uri), options)
  }

  async write(uri: string, body: Body, options: WriteOptions = {}): Promise<ObjectStat> {
    const name = objectUri(uri)
    if (name.endsWith('/')) throw BadUri(uri, 'it names a folder')
    if (!options.ifAbsent || this.#hasConditionalWrites) return putObject(this.#client, name, body, options)
    const { ifAbsent: _, ...rest } = options
    if (await this.#exists(name, options.signal)) throw AlreadyExists(name).with({ place: { shard: name } })
    return putObject(this.#client, name, body, rest)
  }

  async remove(uri: string): Promise<void> {
    const { bucket, key } = parseBucketUri(objectUri(uri))
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    } catch (error) {
      const failure = s3Error(error, { action: 'remove', uri })
      if (!ObjectMissing.is(failure)) throw failure
    }
  }

  async walk(prefix: string, { signal }: CallOptions = {}): Promise<ObjectStat[]> {
    const place = parseBucketUri(prefix)
    const folder = place.key === '' || place.key.endsWith('/') ? place.key : `${place.key}/`
    const found = await listObjects(this.#client, place, folder, signal ? { signal } : {})
    return sortedByUri(found.map(({ stat }) => stat))
  }

  async canonical(uri: string): Promise<string> {
    const place = parseBucketUri(uri)
    return bucketUri(place, place.key)
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  async #exists(uri: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await headObject(this.#client, uri, signal)
      return true
    } catch (error) {
      if (ObjectMissing.is(error)) return false
      throw error
    }
  }

  async #literal(place: BucketUri, signal: AbortSignal | undefined): Promise<ObjectStat[]> {
    const { key } = place
    if (key === '' || key.endsWith('/')) return []
    try {
      return [await headObject(this.#client, bucketUri(place, key), signal)]
    } catch (error) {
      if (ObjectMissing.is(error)) return []
      throw error
    }
  }

  async #match(place: BucketUri, signal: AbortSignal | undefined): Promise<ObjectStat[]> {
    const { key } = place
    const glob = parseGlob(key)
    const prefix = literalPrefix(key)
    // Where no slash can follow the prefix, the server leaves the deeper keys out of the listing.
    const isShallow = !/\/|\*\*/.test(key.slice(prefix.length))
    const found = await listObjects(this.#client, place, prefix, { isShallow, ...(signal ? { signal } : {}) })
    const literal = found.find((object) => object.key === key)
    if (literal) return [literal.stat]
    return sortedByUri(found.filter((object) => glob.matches(object.key)).map(({ stat }) => stat))
  }
}

function objectUri(uri: string): string {
  const place = parseBucketUri(uri)
  if (place.key === '') throw BadUri(uri, 'it names a bucket, not an object')
  return bucketUri(place, place.key)
}
