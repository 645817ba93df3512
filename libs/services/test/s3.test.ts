import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NoS3Server } from '../src/error-table.js'
import { type RunningS3, startS3 } from '../src/s3.js'
import { canStartS3, findS3Server } from '../src/s3-program.js'

const clientOf = (s3: RunningS3, secretAccessKey = s3.secretAccessKey) =>
  new S3Client({
    endpoint: s3.url,
    region: s3.region,
    forcePathStyle: true,
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey },
  })

afterEach(() => vi.unstubAllEnvs())

// The first start on a machine builds the server, which takes a minute.
describe.skipIf(!(await canStartS3()))('startS3', { timeout: 300_000 }, () => {
  it('answers requests signed with its keys, makes buckets, and is gone with its folder after stop', async () => {
    const s3 = await startS3()
    try {
      await s3.bucket('data')
      await s3.bucket('data')
      const { Buckets } = await clientOf(s3).send(new ListBucketsCommand({}))
      expect(Buckets?.map((bucket) => bucket.Name)).toEqual(['data'])
      await expect(clientOf(s3, 'wrong').send(new ListBucketsCommand({}))).rejects.toThrow(/signature/i)
    } finally {
      await Promise.all([s3.stop(), s3.stop()])
    }
    expect(() => process.kill(s3.pid, 0)).toThrow('ESRCH')
    expect(existsSync(s3.dir)).toBe(false)
  })
})

it('says what to install when there is neither a server nor Go', async () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('STOKER_CACHE', join(tmpdir(), 'stoker-no-such-cache'))
  expect(await findS3Server()).toBeUndefined()
  expect(await canStartS3()).toBe(false)
  const failure = await startS3().catch((error: unknown) => error)
  if (!NoS3Server.is(failure)) throw failure
  expect(failure.remedy).toContain('versitygw')
})
