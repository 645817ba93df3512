import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { joinUri, type ObjectStore } from '@stoker/storage'

const compress = promisify(gzip)

/** One image file with its class. */
export interface Sample {
  readonly image: Uint8Array
  readonly label: number
}

/** Where a data set lies: patterns of its shards. */
export interface DataSet {
  readonly train: string
  readonly test: string
  readonly trainRecords: number
  readonly testRecords: number
}

export interface DataSetRecipe {
  /** What the records are made of, in a few words. */
  readonly about: string
  /** Folder name; changes with anything that changes the bytes. */
  readonly name: string
  readonly compression: 'NONE' | 'GZIP'
  readonly trainShards: number
  readonly testShards: number
  make(note: (text: string) => void): Promise<{ readonly train: readonly Sample[]; readonly test: readonly Sample[] }>
}

/**
 * The data set in the store, written there unless a run before did. The manifest is written last: an interrupted run
 * leaves none, and the next one writes all again.
 */
export async function ensureDataSet(
  store: ObjectStore,
  base: string,
  recipe: DataSetRecipe,
  note: (text: string) => void,
): Promise<DataSet> {
  const folder = joinUri(base, 'demo', recipe.name)
  const manifest = joinUri(folder, 'manifest.json')
  const before = await store.readAll(manifest).catch(() => undefined)
  if (before) return JSON.parse(Buffer.from(before).toString())

  const { train, test } = await recipe.make(note)
  const suffix = recipe.compression === 'GZIP' ? '.tfrecord.gz' : '.tfrecord'
  const parts = [
    ['train', train, recipe.trainShards],
    ['test', test, recipe.testShards],
  ] as const
  for (const [part, samples, shards] of parts) {
    note(`writing ${samples.length} ${part} records in ${shards} shards to ${folder}`)
    for (let shard = 0; shard < shards; shard++) {
      const name = `${part}-${String(shard).padStart(5, '0')}-of-${String(shards).padStart(5, '0')}${suffix}`
      const [from, to] = [shard, shard + 1].map((at) => Math.round((at * samples.length) / shards))
      const bytes = writeTfrecord(samples.slice(from, to).map(asExample))
      await store.write(joinUri(folder, name), recipe.compression === 'GZIP' ? await compress(bytes) : bytes)
    }
  }
  const dataSet: DataSet = {
    train: joinUri(folder, `train-*${suffix}`),
    test: joinUri(folder, `test-*${suffix}`),
    trainRecords: train.length,
    testRecords: test.length,
  }
  await store.write(manifest, Buffer.from(JSON.stringify(dataSet)))
  return dataSet
}

const asExample = ({ image, label }: Sample): Uint8Array =>
  encodeExample({ image: { bytes: [image] }, label: { int64: [label] } })
