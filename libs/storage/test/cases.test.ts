import { readFileSync } from 'node:fs'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { canStartS3 } from '@stoker/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NoMatch } from '../src/error-table.js'
import { type Backend, failureOf, fileBackend, s3Backend } from './backends.js'

// Keys that broke other people's readers: test/fixtures/cases, ids glob-h, key-names-h, key-dirmark-h.
const cases = new URL('../../../test/fixtures/cases/', import.meta.url)
interface Case {
  readonly id: string
  readonly expected: Record<string, unknown>
}
const manifest = JSON.parse(readFileSync(new URL('manifest.json', cases), 'utf8')) as Case[]
const expectedOf = (id: string) => manifest.find((one) => one.id === id)?.expected ?? {}
const objectsOf = (name: string) =>
  (JSON.parse(readFileSync(new URL(`files/keys/${name}.json`, cases), 'utf8')) as { objects: Stored[] }).objects
interface Stored {
  readonly key: string
  readonly base64: string
}

const backends: [string, () => Promise<Backend & { marker?: (key: string) => Promise<void> }>][] = [
  ['file:', fileBackend],
]
if (await canStartS3()) {
  backends.push([
    's3:',
    async () => {
      const backend = await s3Backend()
      const { url: endpoint, region, accessKeyId, secretAccessKey } = backend.server
      const credentials = { accessKeyId, secretAccessKey }
      const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
      const marker = async (Key: string) => {
        await client.send(new PutObjectCommand({ Bucket: 'data', Key, ContentLength: 0 }))
      }
      const close = async () => {
        client.destroy()
        await backend.close()
      }
      return { ...backend, marker, close }
    },
  ])
}

describe.each(backends)('keys on %s', { timeout: 120_000 }, (_name, start) => {
  let backend: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    backend = await start()
    for (const name of ['glob_brackets', 'space_plus_unicode', 'directory_markers']) {
      for (const { key, base64 } of objectsOf(name)) {
        if (key.endsWith('/')) await backend.marker?.(key)
        else await backend.store.write(`${backend.base}/${key}`, Buffer.from(base64, 'base64'))
      }
    }
  }, 300_000)
  afterAll(() => backend?.close())

  const listed = async (pattern: string) =>
    (await backend.store.list(`${backend.base}/${pattern}`)).map(({ uri }) => uri.slice(backend.base.length + 1))

  it('reads brackets as a class, as tf.io.gfile.glob, as themselves when escaped, and as a name that exists', async () => {
    const { tf_glob } = expectedOf('glob-h') as { tf_glob: Record<string, string[]> }
    expect(Object.keys(tf_glob)).toHaveLength(2)
    for (const [pattern, found] of Object.entries(tf_glob)) expect(await listed(pattern)).toEqual(found)
    const escaped = ['data[v1]/part-0.txt', 'data[v1]/part-1.txt']
    expect(await listed('data[[]v1]/part-*.txt')).toEqual(escaped)
    expect(await listed('data\\[v1\\]/part-*.txt')).toEqual(escaped)
    expect(await listed('data[v1]/part-0.txt')).toEqual(['data[v1]/part-0.txt'])
    expect(Buffer.from(await backend.store.readAll(`${backend.base}/data[v1]/part-0.txt`)).toString()).toBe(
      'data[v1]/part-0.txt\n',
    )
  })

  it('names the pattern that nothing matches', async () => {
    const failure = await failureOf(() => listed('data[xy]/part-*.txt'))
    if (!NoMatch.is(failure)) throw failure
    expect(failure.message).toBe(`nothing matches ${backend.base}/data[xy]/part-*.txt`)
  })

  it('keeps space, plus, percent, ampersand and letters of all alphabets, in the order of UTF-8 bytes', async () => {
    const { list_order_utf8_bytes: order } = expectedOf('key-names-h') as { list_order_utf8_bytes: string[] }
    expect(order).toHaveLength(6)
    for (const pattern of ['train set/*', 'train*/*.txt', '**/*.txt']) {
      expect((await listed(pattern)).filter((key) => key.startsWith('train'))).toEqual(order)
    }
    const stored = objectsOf('space_plus_unicode')
    for (const { key, base64 } of stored) {
      expect(await listed(key)).toEqual([key])
      const uri = `${backend.base}/${key}`
      expect(Buffer.from(await backend.store.readAll(uri)).toString('base64')).toBe(base64)
      const [{ etag } = { etag: '' }] = await backend.store.list(uri)
      expect(await backend.store.read(uri, { offset: 0, length: 1 }, { etag })).toEqual(new Uint8Array([107]))
    }
  })

  it('takes directory markers for nothing', async () => {
    const images = ['imgs/cat/a.png', 'imgs/dog/b.png']
    for (const prefix of ['imgs', 'imgs/']) {
      const found = await backend.store.walk(`${backend.base}/${prefix}`)
      expect(found.map(({ uri }) => uri.slice(backend.base.length + 1))).toEqual(images)
    }
    expect(await listed('imgs/**')).toEqual(images)
    expect(await listed('imgs/*/*')).toEqual(images)
    expect(NoMatch.is(await failureOf(() => listed('imgs/*')))).toBe(true)
    expect(NoMatch.is(await failureOf(() => listed('imgs/')))).toBe(true)
  })
})
