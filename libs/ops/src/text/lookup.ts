import type { StageOf } from '@stoker/spec'
import { hashBucket } from './fingerprint.js'

type Params = Omit<StageOf<'lookup'>, 'op' | 'field'>

/** The id of a word: of the vocabulary, or by its hash. */
export function wordIds({
  vocabulary,
  hashBuckets,
  oovBuckets = 0,
  defaultValue = -1,
}: Params): (word: Uint8Array) => bigint {
  if (!vocabulary) {
    const buckets = BigInt(hashBuckets ?? 1)
    return (word) => hashBucket(word, buckets)
  }
  // Latin-1 keeps bytes apart that are no UTF-8: two damaged words never meet in one key.
  const ids = new Map(vocabulary.map((word, id) => [Buffer.from(word).toString('latin1'), BigInt(id)]))
  const size = BigInt(vocabulary.length)
  const oov = BigInt(oovBuckets)
  const other = BigInt(defaultValue)
  return (word) => {
    const id = ids.get(Buffer.from(word.buffer, word.byteOffset, word.byteLength).toString('latin1'))
    if (id !== undefined) return id
    return oov > 0n ? size + hashBucket(word, oov) : other
  }
}
