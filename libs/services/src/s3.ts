import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { launch } from './launch.js'
import { ownFolder, type RunningServer, running } from './running-server.js'
import { s3Program } from './s3-program.js'

export interface S3Options {
  /** A free one when left out. */
  readonly port?: number
  /** Folder of its data; a temporary one, removed by `stop`, when left out. */
  readonly dir?: string
  /** Keys of the root user; random ones when left out. */
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

export interface RunningS3 extends RunningServer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  /** Folder of all that it keeps. */
  readonly dir: string
  /** Folder of its objects: files under the names of their buckets and keys. */
  readonly objectsDir: string
  /** Creates a bucket; one that is there already is fine. */
  bucket(name: string): Promise<void>
}

const REGION = 'us-east-1'

/**
 * Starts the S3 server versitygw on 127.0.0.1, over a folder, and waits until it answers. Use path-style addresses.
 *
 * @throws NoS3Server when there is no server program and none can be built; ServerNotStarted with the server's log.
 */
export async function startS3(options: S3Options = {}): Promise<RunningS3> {
  const program = await s3Program()
  const folder = await ownFolder('stoker-s3-', options.dir)
  const accessKeyId = options.accessKeyId ?? `stoker${randomBytes(6).toString('hex')}`
  const secretAccessKey = options.secretAccessKey ?? randomBytes(20).toString('hex')
  const [iam, data] = [join(folder.path, 'iam'), join(folder.path, 'data')]
  await Promise.all([mkdir(iam, { recursive: true }), mkdir(data, { recursive: true })])

  const sdk = await loadSdk()
  const client = (port: number) =>
    new sdk.S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: REGION,
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId, secretAccessKey },
    })
  // Signed with keys that no other server on this port knows.
  const answers = (port: number) =>
    using(client(port), async (s3) => {
      await s3.send(new sdk.ListBucketsCommand({}), { abortSignal: AbortSignal.timeout(2000) })
      return true
    })
  const args = (port: number) => [
    ...['--quiet', '--region', REGION, '--port', `127.0.0.1:${port}`, '--iam-dir', iam, 'posix', data],
  ]
  const env = { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey }
  try {
    const { server, port } = await launch({
      ...{ name: 'versitygw', program, args, port: options.port, answers },
      options: { env, ...folder.childOptions },
    })
    return {
      ...running(`http://127.0.0.1:${port}`, server, folder),
      ...{ accessKeyId, secretAccessKey, region: REGION, dir: folder.path, objectsDir: data },
      bucket: (name) => using(client(port), (s3) => createBucket(sdk, s3, name)),
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

type Sdk = typeof import('@aws-sdk/client-s3')

/** Loaded here and not above: it takes longer to load than Redis takes to start. */
function loadSdk(): Promise<Sdk> {
  // The version is pinned, so its advice to move to a newer Node tells the user nothing.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  return import('@aws-sdk/client-s3')
}

async function createBucket(sdk: Sdk, s3: S3Client, name: string): Promise<void> {
  try {
    await s3.send(new sdk.CreateBucketCommand({ Bucket: name }))
  } catch (error) {
    const code = error instanceof Error ? error.name : ''
    if (code !== 'BucketAlreadyOwnedByYou' && code !== 'BucketAlreadyExists') throw error
  }
}

async function using<T>(s3: S3Client, action: (s3: S3Client) => Promise<T>): Promise<T> {
  try {
    return await action(s3)
  } finally {
    s3.destroy()
  }
}
