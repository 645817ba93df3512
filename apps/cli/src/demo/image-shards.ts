import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import type { MadeData } from './data-set.js'

const compress = promisify(gzip)

/** One image file with its class. */
export interface Sample {
  readonly image: Uint8Array
  readonly label: number
}

export interface ShardOptions {
  readonly compression: 'NONE' | 'GZIP'
  readonly trainShards: number
  readonly testShards: number
}

/** TFRecord shards of `{image, label}` examples: train-00000-of-00008.tfrecord, ... */
export async function imageShards(
  parts: { readonly train: readonly Sample[]; readonly test: readonly Sample[] },
  { compression, trainShards, testShards }: ShardOptions,
): Promise<MadeData> {
  const suffix = compression === 'GZIP' ? '.tfrecord.gz' : '.tfrecord'
  const files = new Map<string, Uint8Array>()
  for (const [part, samples, shards] of [
    ['train', parts.train, trainShards],
    ['test', parts.test, testShards],
  ] as const) {
    for (let shard = 0; shard < shards; shard++) {
      const name = `${part}-${String(shard).padStart(5, '0')}-of-${String(shards).padStart(5, '0')}${suffix}`
      const [from, to] = [shard, shard + 1].map((at) => Math.round((at * samples.length) / shards))
      const bytes = writeTfrecord(samples.slice(from, to).map(asExample))
      files.set(name, compression === 'GZIP' ? await compress(bytes) : bytes)
    }
  }
  return {
    ...{ files, train: `train-*${suffix}`, test: `test-*${suffix}` },
    ...{ trainRecords: parts.train.length, testRecords: parts.test.length },
  }
}

const asExample = ({ image, label }: Sample): Uint8Array =>
  encodeExample({ image: { bytes: [image] }, label: { int64: [label] } })
