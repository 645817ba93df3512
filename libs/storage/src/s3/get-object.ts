import { Readable } from 'node:stream'
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { StorageFailed } from '../error-table.js'
import type { ObjectStat } from '../object-store.js'
import { changed, checkedBody, type GetOptions, type Got, outside, sizeByContentRange } from '../remote/got.js'
import { parseBucketUri } from '../uri.js'
import { s3Error, statusOf } from './s3-error.js'

export async function getObject(client: S3Client, uri: string, options: GetOptions): Promise<Got> {
  const { bucket, key } = parseBucketUri(uri)
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
  const { bucket, key } = parseBucketUri(uri)
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
  return range ? sizeByContentRange(uri, answer.ContentRange, range) : (answer.ContentLength ?? 0)
}
