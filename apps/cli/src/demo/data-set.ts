import { joinUri, type ObjectStore } from '@stoker/storage'

/** Where a data set lies: patterns of its files. */
export interface DataSet {
  readonly train: string
  readonly test: string
  readonly trainRecords: number
  readonly testRecords: number
}

/** A data set in memory: content by file name, and the patterns of those names. */
export interface MadeData extends DataSet {
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface DataSetRecipe {
  /** What the records are made of, in a few words. */
  readonly about: string
  /** Folder name; changes with anything that changes the bytes. */
  readonly name: string
  /** @param records for a quick look: about so many, where the data set can be made smaller */
  make(note: (text: string) => void, records?: number): Promise<MadeData>
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

  const { files, train, test, trainRecords, testRecords } = await recipe.make(note)
  note(`writing ${trainRecords} records to learn from and ${testRecords} held out in ${files.size} files to ${folder}`)
  for (const [name, bytes] of files) await store.write(joinUri(folder, name), bytes)
  const dataSet: DataSet = {
    ...{ train: joinUri(folder, train), test: joinUri(folder, test) },
    ...{ trainRecords, testRecords },
  }
  await store.write(manifest, Buffer.from(JSON.stringify(dataSet)))
  return dataSet
}
