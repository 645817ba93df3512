import { Readable } from 'node:stream'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { piecesOf } from '../collect.js'
import { AlreadyExists } from '../error-table.js'
import type { Body, ObjectStat, WriteOptions } from '../object-store.js'
import { parseBucketUri } from '../uri.js'
import { bareEtag, headObject } from './get-object.js'
import { s3Error, statusOf, withoutRequest } from './s3-error.js'

/** Size of a part, and of the largest body that is put in one request. With 10,000 parts the most is 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 4

/** S3 makes both kinds visible in one step. Parts of an upload that fails are removed at once. */
export async function putObject(client: S3Client, uri: string, body: Body, options: WriteOptions): Promise<ObjectStat> {
  const { bucket, key } = parseBucketUri(uri)
  const { signal } = options
  const target = {
    Bucket: bucket,
    Key: key,
    ContentType: options.contentType ?? 'application/octet-stream',
    ...(options.ifAbsent ? { IfNoneMatch: '*' } : {}),
  }
  try {
    signal?.throwIfAborted()
    if (body instanceof Uint8Array && body.length <= PART_BYTES) {
      const command = new PutObjectCommand({ ...target, Body: body, ContentLength: body.length })
      const { ETag } = await client.send(command, signal ? { abortSignal: signal } : {})
      return { uri, size: body.length, etag: bareEtag(ETag) }
    }
    // The answer to a multipart upload may leave the ETag out; the size is counted on the way.
    let size = 0
    const pieces = counted(piecesOf(body, signal), (bytes) => {
      size += bytes
    })
    const etag = await upload(client, target, body instanceof Uint8Array ? body : Readable.from(pieces), signal)
    return {
      uri,
      size: body instanceof Uint8Array ? body.length : size,
      etag: etag ?? (await headObject(client, uri)).etag,
    }
  } catch (error) {
    if (statusOf(error) === 412) throw AlreadyExists(uri).with({ place: { shard: uri }, cause: withoutRequest(error) })
    throw s3Error(error, { action: 'write', uri, signal })
  }
}

async function upload(
  client: S3Client,
  target: { Bucket: string; Key: string; ContentType: string },
  body: Uint8Array | Readable,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const work = new Upload({
    client,
    params: { ...target, Body: body },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
  })
  const abort = () => void work.abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const { ETag } = await work.done()
    return ETag === undefined ? undefined : bareEtag(ETag)
  } finally {
    signal?.removeEventListener('abort', abort)
    if (body instanceof Readable) body.destroy()
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    count(piece.length)
    yield piece
  }
}
