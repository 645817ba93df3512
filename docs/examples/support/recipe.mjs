// What a data.mjs says of its data set, and what its files have in common.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Made
 * @property {ReadonlyMap<string, Uint8Array>} files content by file name
 * @property {string} train pattern of the names of the files to learn from
 * @property {string} test pattern of the names of the held-out files
 * @property {number} trainRecords
 * @property {number} testRecords
 *
 * @typedef {object} Recipe
 * @property {string} about what the records are made of, in a few words
 * @property {string} name folder of the data set; changes with anything that changes the bytes
 * @property {(note: (text: string) => void) => Promise<Made>} make
 */

/**
 * Run as a program (`node data.mjs [FOLDER]`), the module writes its data set to FOLDER/<name>; imported, it does nothing.
 * @param {ImportMeta} module
 * @param {Recipe} recipe
 */
export async function writeIfMain(module, recipe) {
  if (process.argv[1] !== fileURLToPath(module.url)) return
  const folder = join(process.argv[2] ?? 'data', recipe.name)
  const { files, trainRecords, testRecords } = await recipe.make((text) => process.stderr.write(`${text}\n`))
  await mkdir(folder, { recursive: true })
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes)
  process.stdout.write(`${trainRecords} records to learn from and ${testRecords} held out in ${folder}\n`)
}

/**
 * Cuts records into files of about the same size: `train-00000-of-00004.jsonl`, ...
 * @template T
 * @param {string} part
 * @param {string} extension
 * @param {readonly T[]} records
 * @param {number} shards
 * @param {(records: readonly T[]) => Uint8Array} encode
 * @returns {[string, Uint8Array][]}
 */
export function shardFiles(part, extension, records, shards, encode) {
  const five = (value) => String(value).padStart(5, '0')
  return Array.from({ length: shards }, (_, shard) => {
    const [from, to] = [shard, shard + 1].map((at) => Math.round((at * records.length) / shards))
    return [`${part}-${five(shard)}-of-${five(shards)}${extension}`, encode(records.slice(from, to))]
  })
}

/**
 * The items in an order that looks random and is always the same: by the hash of each one's key.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf
 * @returns {T[]}
 */
export function mixed(items, keyOf = JSON.stringify) {
  const hashed = items.map((item) => ({ item, hash: createHash('sha256').update(keyOf(item)).digest('hex') }))
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item)
}
