import { addAbortSignal, Readable } from 'node:stream'
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { RangeOutside, ShardChanged, StorageFailed, TruncatedBody } from '../error-table.js'
import type { ByteRange, ObjectStat, ReadOptions } from '../object-store.js'
import { parseS3Uri } from '../uri.js'
import { s3Error, statusOf } from './s3-error.js'

export interface Got {
  /** Version and size of the whole object. */
  readonly stat: ObjectStat
  /** The body, which must be read to its end or left (break, throw): either way the connection is free afterwards. */
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface GetOptions extends ReadOptions {
  readonly range?: ByteRange
}

/**
 * Asks for an object or a range of it. Whatever the server answers, the caller gets the bytes asked for, of the version
 * asked for, or an error: ShardChanged, RangeOutside, or TruncatedBody where the body ends early.
 */
export async function getObject(client: S3Client, uri: string, options: GetOptions): Promise<Got> {
  const { bucket, key } = parseS3Uri(uri)
  const { range, etag, signal } = options
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ...(range ? { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : {}),
    ...(etag === undefined ? {} : { IfMatch: `"${etag}"` }),
  })
  const answer = await client.send(command, signal ? { abortSignal: signal } : {}).catch(async (error: unknown) => {
    if (statusOf(error) === 412 && etag !== undefined)
      throw changed(uri, etag, (await headObject(client, uri, signal)).etag)
    if (statusOf(error) === 416 && range) throw outside(uri, range, (await headObject(client, uri, signal)).size)
    throw s3Error(error, { action: 'read', uri, signal })
  })
  const body = answer.Body
  if (!(body instanceof Readable)) throw StorageFailed('read', uri, 'the answer has no body')
  try {
    const size = checkedSize(uri, answer, options)
    const length = range?.length ?? size
    return { stat: { uri, size, etag: bareEtag(answer.ETag) }, chunks: checkedBody(uri, body, length, signal) }
  } catch (error) {
    body.destroy()
    throw error
  }
}

export async function headObject(client: S3Client, uri: string, signal?: AbortSignal): Promise<ObjectStat> {
  const { bucket, key } = parseS3Uri(uri)
  try {
    const answer = await client.send(
      new HeadObjectCommand({ Bucket: bucket, Key: key }),
      signal ? { abortSignal: signal } : {},
    )
    return { uri, size: answer.ContentLength ?? 0, etag: bareEtag(answer.ETag) }
  } catch (error) {
    throw s3Error(error, { action: 'read', uri, signal })
  }
}

/** Some servers put the quotes that HTTP wants around an ETag into listings and some do not. */
export function bareEtag(etag: string | undefined): string {
  return (etag ?? '').replace(/^"|"$/g, '')
}

/** Size of the whole object, after checking that the headers promise what was asked. */
function checkedSize(uri: string, answer: GetObjectCommandOutput, { range, etag }: GetOptions): number {
  // A server may ignore If-Match.
  if (etag !== undefined && bareEtag(answer.ETag) !== etag) throw changed(uri, etag, bareEtag(answer.ETag))
  if (!range) return answer.ContentLength ?? 0
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.ContentRange ?? '') ?? []
  if (Number(first) !== range.offset) {
    // So do servers that unpack an object with a Content-Encoding on its way out.
    throw StorageFailed('read', uri, 'the server ignores the byte range').with({ place: { shard: uri } })
  }
  if (range.offset + range.length > Number(total)) throw outside(uri, range, Number(total))
  return Number(total)
}

async function* checkedBody(
  uri: string,
  body: Readable,
  length: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const truncated = (cause?: unknown) => TruncatedBody(uri, length, bytes).with({ place: { shard: uri }, cause })
  if (signal) addAbortSignal(signal, body)
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > length) throw truncated()
      yield chunk
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw TruncatedBody.is(error) ? error : truncated(error)
  } finally {
    body.destroy()
  }
  if (bytes < length) throw truncated()
}

function changed(uri: string, pinned: string, now: string) {
  return ShardChanged(uri, pinned, now).with({ place: { shard: uri } })
}

function outside(uri: string, { offset, length }: ByteRange, size: number) {
  return RangeOutside(uri, offset, offset + length - 1, size).with({ place: { shard: uri, offset } })
}
