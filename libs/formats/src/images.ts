import { type Source, toStokerError } from '@stoker/spec'
import { NoSuchRecord, RecordTooLong } from './error-table.js'
import { listImages } from './images/list-images.js'
import { type ListedFile, Manifest, writeManifest } from './images/manifest.js'
import { createLimiter } from './limiter.js'
import type { PageCache } from './page-cache.js'
import { DEFAULT_LIMITS, type Format, type FormatContext, type RecordFields, type ShardIndex } from './types.js'

export type ImagesSource = Extract<Source, { type: 'images' }>

/** Files of one shard. */
export const CHUNK_FILES = 1024
const WRITES_AT_ONCE = 16

const manifests = new WeakMap<ShardIndex, Manifest>()

/**
 * Image files below a folder or key prefix, as keras.utils.image_dataset_from_directory finds them: the bytes of each as
 * `image`, its class as `label`. Listed once, at submission; each file is read pinned to the ETag it had then.
 */
export const images: Format<ImagesSource> = {
  async pin(source, context) {
    const { store, signal } = context
    const named = await store.canonical(source.folder)
    const folder = named.endsWith('/') ? named : `${named}/`
    const files = listImages(folder, await store.walk(folder, signal ? { signal } : {}), source)
    const limited = createLimiter(WRITES_AT_ONCE)
    const chunks = Array.from({ length: Math.ceil(files.length / CHUNK_FILES) }, (_, chunk) =>
      files.slice(chunk * CHUNK_FILES, (chunk + 1) * CHUNK_FILES),
    )
    return Promise.all(chunks.map((chunk) => limited(() => writeManifest(folder, chunk, context))))
  },

  async index(pin, _source, context) {
    const manifest = await Manifest.read(pin, context)
    const index: ShardIndex = {
      count: manifest.count,
      dataUri: pin.uri,
      dataEtag: pin.etag,
      dataBytes: pin.size,
      offsets: new Float64Array(0),
      lengths: new Uint32Array(0),
      heldBytes: manifest.heldBytes,
      nameOf: (record) => `${manifest.folder}${manifest.file(record)?.path ?? ''}`,
    }
    manifests.set(index, manifest)
    return index
  },

  async read(pin, index, source, records, context) {
    const manifest = manifests.get(index) ?? (await Manifest.read(pin, context))
    return Promise.all(
      records.map(async (record) => {
        const file = manifest.file(record)
        if (!file) throw NoSuchRecord(pin.uri, record, manifest.count).with({ place: { shard: pin.uri, record } })
        const uri = manifest.folder + file.path
        try {
          return fieldsOf(source, file, await bytesOf(uri, file, record, context))
        } catch (error) {
          throw toStokerError(error).with({ place: { shard: uri, record } })
        }
      }),
    )
  },
}

async function bytesOf(
  uri: string,
  { size, etag }: ListedFile,
  record: number,
  { store, pages, signal, limits }: FormatContext & { readonly pages: PageCache },
): Promise<Uint8Array> {
  const most = limits?.maxRecordBytes ?? DEFAULT_LIMITS.maxRecordBytes
  if (size > most) throw RecordTooLong(uri, record, 0, String(size), most)
  const [bytes] = await pages.read(store, { uri, etag, bytes: size }, [{ offset: 0, length: size }], signal)
  return bytes ?? new Uint8Array(0)
}

function fieldsOf(source: ImagesSource, { path, label }: ListedFile, image: Uint8Array): RecordFields {
  return {
    image: { dtype: 'string', shape: [], data: image },
    ...(source.labels === 'none' ? {} : { label: { dtype: 'int32', shape: [], data: Int32Array.of(label) } }),
    ...(source.path ? { path: { dtype: 'string', shape: [], data: Buffer.from(path) } } : {}),
  }
}
