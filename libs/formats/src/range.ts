import { rangeCount, type Source } from '@stoker/spec'
import { NoSuchRecord } from './error-table.js'
import type { Format, ShardPin } from './types.js'

export type RangeSource = Extract<Source, { type: 'range' }>

/** The one pin of a `range` source: it reads nothing. */
export const RANGE_PIN: ShardPin = { uri: 'range:', size: 0, etag: '' }

/** Whole numbers, as `tf.data.Dataset.range`: the field `value`, int64[]. */
export const range: Format<RangeSource> = {
  pin: async () => [RANGE_PIN],
  countNow: rangeCount,

  async index(pin, source) {
    return {
      count: rangeCount(source),
      dataUri: pin.uri,
      dataEtag: pin.etag,
      dataBytes: 0,
      offsets: new Float64Array(0),
      lengths: new Uint32Array(0),
    }
  },

  async read(pin, index, source, records) {
    const start = BigInt(source.start ?? 0)
    const step = BigInt(source.step ?? 1)
    return records.map((record) => {
      if (record < 0 || record >= index.count) {
        throw NoSuchRecord(pin.uri, record, index.count).with({ place: { shard: pin.uri, record } })
      }
      const data = BigInt64Array.of(start + step * BigInt(record))
      return { value: { dtype: 'int64', shape: [], data } }
    })
  },
}
