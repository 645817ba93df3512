import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { canStartS3, startS3 } from '@stoker/services'
import { SOURCES, images as spec } from '@stoker/spec'
import { createStore, ShardChanged } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImagesSource, images } from '../src/images.js'
import type { ShardPin } from '../src/types.js'
import { type Desk, deskOn, failureOf, fixture, golden } from './support.js'

interface Tree {
  readonly name: string
  readonly tree: readonly string[]
  readonly unlabelled?: boolean
  readonly given?: readonly string[]
  readonly files: readonly string[]
  readonly labels?: readonly number[]
}
const GOLDEN = golden<Tree[]>('image-folders.json')
const sourceOf = (folder: string, options: Parameters<typeof spec>[1] = {}) => spec(folder, options) as ImagesSource
const object = <T>(path: string): T => JSON.parse(fixture(`cases/files/${path}`).toString()) as T

/** A store in which objects are made quickly, folder markers too. */
interface Place extends Desk {
  make(files: readonly { path: string; body: Uint8Array }[]): Promise<void>
}
const places: [string, () => Promise<Place>][] = [
  [
    'file:',
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'stoker-images-'))
      const store = createStore({ fileRoots: [dir] })
      const desk = deskOn(store, `file://${dir}`, () => rm(dir, { recursive: true, force: true }))
      const make: Place['make'] = async (files) => {
        for (const { path, body } of files) {
          if (path.endsWith('/')) await mkdir(join(dir, path), { recursive: true })
          else await mkdir(dirname(join(dir, path)), { recursive: true }).then(() => writeFile(join(dir, path), body))
        }
      }
      return { ...desk, make }
    },
  ],
]
if (await canStartS3()) {
  places.push([
    's3:',
    async () => {
      const server = await startS3()
      await server.bucket('data')
      const { url: endpoint, region, accessKeyId, secretAccessKey, dir } = server
      const s3 = { endpoint, credentials: { accessKeyId, secretAccessKey } }
      const store = createStore({ fileRoots: [], s3 })
      const client = new S3Client({ ...s3, region, forcePathStyle: true })
      const desk = deskOn(store, 's3://data', async () => {
        client.destroy()
        await store.close()
        await server.stop()
      })
      const make: Place['make'] = async (files) => {
        for (const { path, body } of files) {
          const folder = join(dir, 'data/data', dirname(path))
          // The server's objects are files; many of them are made faster as such.
          if (files.length > 1000)
            await mkdir(folder, { recursive: true }).then(() =>
              writeFile(join(folder, path.split('/').at(-1) ?? ''), body),
            )
          else await client.send(new PutObjectCommand({ Bucket: 'data', Key: path, Body: body }))
        }
      }
      return { ...desk, make }
    },
  ])
}

describe.each(places)('images on %s', { timeout: 120_000 }, (_name, open) => {
  let desk: Place
  beforeAll(async () => {
    desk = await open()
  }, 300_000)
  afterAll(() => desk?.close())

  /** Every record, in order: path, label, text of the bytes. */
  async function all(source: ImagesSource) {
    const pins = await images.pin({ ...source, path: true }, desk.context)
    const found: { path: string; label: number | undefined; body: string }[] = []
    for (const pin of pins) {
      const index = await images.index(pin, source, desk.context)
      const numbers = [...Array(index.count).keys()]
      const records = await images.read(pin, index, { ...source, path: true }, numbers, desk.context)
      for (const { path, label, image } of records) {
        const text = (field: typeof path) => Buffer.from(field?.data as Uint8Array).toString('latin1')
        found.push({
          path: Buffer.from(text(path), 'latin1').toString(),
          label: label && (label.data as Int32Array)[0],
          body: text(image),
        })
      }
    }
    return { pins, found }
  }

  it('finds files, classes and order as Keras does', async () => {
    const seen = new Map<string, string>()
    for (const { name, tree, unlabelled, given, files, labels } of GOLDEN) {
      const folder = seen.get(JSON.stringify(tree)) ?? `trees/${seen.size}`
      if (!seen.has(JSON.stringify(tree))) {
        seen.set(JSON.stringify(tree), folder)
        await desk.make(tree.map((path) => ({ path: `${folder}/${path}`, body: Buffer.from(path) })))
      }
      const source = sourceOf(`${desk.base}/${folder}`, {
        ...(unlabelled ? { labels: 'none' } : {}),
        ...(given ? { classNames: [...given] } : {}),
      })
      const { found } = await all(source)
      // Keras takes hidden folders for data where it infers no classes.
      expect(
        found.map(({ path }) => path),
        name,
      ).toEqual(files.filter((path) => !path.startsWith('.git/')))
      expect(
        found.map(({ label }) => label),
        name,
      ).toEqual(labels ?? found.map(() => undefined))
      for (const { path, body } of found) expect(Buffer.from(body, 'latin1').toString()).toBe(path)
    }
    expect(seen.size).toBe(5)
  })

  it('leaves hidden folders and files of other kinds out, and takes upper-case extensions (case dir-h)', async () => {
    const { files } = object<{ files: { path: string; base64: string }[] }>('tree/hidden_and_upper_case.json')
    await desk.make(files.map(({ path, base64 }) => ({ path: `dir-h/${path}`, body: Buffer.from(base64, 'base64') })))
    const cases = JSON.parse(fixture('cases/manifest.json').toString()) as {
      id: string
      expected: { keras_image_dataset_from_directory: { files_in_order: string[]; labels: number[] } }
    }[]
    const expected = cases.find(({ id }) => id === 'dir-h')?.expected.keras_image_dataset_from_directory
    const { found } = await all(sourceOf(`${desk.base}/dir-h/`))
    expect(found.map(({ path }) => path)).toEqual(expected?.files_in_order)
    expect(found.map(({ label }) => label)).toEqual(expected?.labels)
    const bodies = new Map(files.map(({ path, base64 }) => [path, Buffer.from(base64, 'base64').toString('latin1')]))
    for (const { path, body } of found) expect(body).toBe(bodies.get(path))
  })

  it('takes directory markers for nothing, with and without a slash at the end (case key-dirmark-h)', async () => {
    const { objects } = object<{ objects: { key: string; base64: string }[] }>('keys/directory_markers.json')
    await desk.make(objects.map(({ key, base64 }) => ({ path: key, body: Buffer.from(base64, 'base64') })))
    for (const folder of ['imgs', 'imgs/']) {
      const { found, pins } = await all(sourceOf(`${desk.base}/${folder}`))
      expect(found.map(({ path, label }) => [path, label])).toEqual([
        ['cat/a.png', 0],
        ['dog/b.png', 1],
      ])
      expect(pins).toHaveLength(1)
    }
  })

  it('cuts a long listing into chunks, and reads each file in the version that was listed', async () => {
    const files = Array.from({ length: 2100 }, (_, file) => `many/${file % 3}/${String(file).padStart(5, '0')}.jpg`)
    await desk.make(files.map((path) => ({ path, body: Buffer.from(path) })))
    const source = sourceOf(`${desk.base}/many`)
    const pins = await images.pin(source, desk.context)
    expect(pins).toHaveLength(3)
    const counts = await Promise.all(pins.map(async (pin) => (await images.index(pin, source, desk.context)).count))
    expect(counts).toEqual([1024, 1024, 52])
    // The same listing gives the same pins, so that work done for one job serves the next.
    expect(await images.pin(source, desk.context)).toEqual(pins)
    const [, second] = pins as [ShardPin, ShardPin]
    const body = await desk.store.readAll(second.uri)
    expect(createHash('sha256').update(body).digest('hex')).toBe(second.etag)

    const index = await images.index(second, source, desk.context)
    const [first, last] = await images.read(second, index, source, [0, 1023], desk.context)
    const sorted = [...files].sort()
    expect(Buffer.from(first?.image?.data as Uint8Array).toString()).toBe(sorted[1024])
    expect(first?.label?.data).toEqual(Int32Array.of(1))
    expect(Buffer.from(last?.image?.data as Uint8Array).toString()).toBe(sorted[2047])
    expect(last?.label?.data).toEqual(Int32Array.of(2))
    expect(index.nameOf?.(0)).toBe(`${desk.base}/${sorted[1024]}`)

    const changed = `${desk.base}/${sorted[1030]}`
    await desk.store.write(changed, Buffer.from('other'))
    const failure = await failureOf(() => images.read(second, index, source, [6], desk.context))
    if (!ShardChanged.is(failure)) throw failure
    expect(failure.place).toMatchObject({ shard: changed, record: 6 })
    const unknown = await failureOf(() => images.read(second, index, source, [1024], desk.context))
    expect(unknown.code).toBe('STK_RECORD_UNKNOWN')
  })

  it('notices a listing in scratch that is gone or another', async () => {
    await desk.make([{ path: 'one/a/1.png', body: Buffer.from('1') }])
    const source = sourceOf(`${desk.base}/one`)
    const [pin] = (await images.pin(source, desk.context)) as [ShardPin]
    await desk.store.write(pin.uri, Buffer.from('{"files":1,"folder":"file:///etc/"}\n["passwd",1,"x",0]\n'))
    expect((await failureOf(() => images.index(pin, source, desk.context))).code).toBe('STK_MANIFEST_LOST')
    await desk.store.remove(pin.uri)
    expect((await failureOf(() => images.index(pin, source, desk.context))).code).toBe('STK_MANIFEST_LOST')
  })

  it('lets training and validation agree on classes', async () => {
    await desk.make(
      ['agree/train/a/1.png', 'agree/train/b/1.png', 'agree/val/b/2.png'].map((path) => ({
        path,
        body: Buffer.from(path),
      })),
    )
    const classNames = ['a', 'b']
    const labels = async (folder: string, names = classNames) =>
      (await all(sourceOf(`${desk.base}/agree/${folder}`, { classNames: names }))).found.map(({ label }) => label)
    expect(await labels('train')).toEqual([0, 1])
    expect(await labels('val')).toEqual([1])
    // Others may be left out on purpose; a class without images beside one is more likely a slip.
    expect(await labels('train', ['b'])).toEqual([0])
    const slip = await failureOf(() => labels('train', ['A', 'b']))
    expect(slip.message).toContain('there are no images of the classes A below')
    expect(slip.message).toMatch(/folders that are no class: a$/)
  })

  it('says what is there where no images are', async () => {
    await desk.make(['flat/1.png', 'texts/a/1.txt'].map((path) => ({ path, body: Buffer.from(path) })))
    const messageOf = async (folder: string) =>
      (await failureOf(() => images.pin(sourceOf(`${desk.base}/${folder}`), desk.context))).message
    expect(await messageOf('none')).toBe(`no images below ${desk.base}/none/: nothing lies there`)
    expect(await messageOf('texts')).toContain('none of its 1 files ends in .jpg')
    expect(await messageOf('flat')).toContain('its 1 images lie directly in it')
  })
})

it('is checked with the spec', () => {
  const signature = (options: Parameters<typeof spec>[1]) => SOURCES.images.infer(sourceOf('file:photos', options))
  const image = { dtype: 'string', shape: [] }
  expect(signature({})).toEqual({ image, label: { dtype: 'int32', shape: [] } })
  expect(signature({ labels: 'none', path: true })).toEqual({ image, path: image })
  expect(() => signature({ labels: 'none', classNames: ['a'] })).toThrow("labels are 'none'")
})
