import { fromErrorView, type Source, toStokerError } from '@stoker/spec'
import { NoSuchRecord, RecordTooLong } from '../error-table.js'
import type { Range } from '../page-cache.js'
import { pinFiles } from '../pin-files.js'
import { DEFAULT_LIMITS, type Format, type ShardIndex, type ShardPin } from '../types.js'
import type { ByteFormat, ByteSource, RecordDecoder } from './format.js'
import { indexShard, isLost, relocated } from './index-shard.js'

/**
 * A reader of files whose records lie in their bytes: compressed shards are inflated once into scratch, the index is
 * kept there, records are fetched in ranges through the page cache. A record that is damaged, or longer than the limit,
 * is an error when it is read and does not hide its neighbours.
 */
export function createByteFormat<S extends ByteSource & Source>(format: ByteFormat<S>): Format<S> {
  /** Indexes whose inflated copy was cleaned away or written anew after they were made, and where the copy is now. */
  const moved = new WeakMap<ShardIndex, ShardIndex>()
  const decoders = new WeakMap<ShardIndex, { readonly source: S; readonly decode: RecordDecoder }>()

  function decoderOf(pin: ShardPin, index: ShardIndex, source: S): RecordDecoder {
    const held = decoders.get(index)
    if (held?.source === source) return held.decode
    const decode = format.decoder(source, { uri: pin.uri, meta: index.meta })
    decoders.set(index, { source, decode })
    return decode
  }

  return {
    pin: ({ files }, context) => pinFiles(files, context),

    async index(pin, source, context) {
      const index = await indexShard(format, pin, source, context)
      // Where the shard as a whole does not fit the source, such as a table without the columns, it is said here.
      decoderOf(pin, index, source)
      return index
    },

    async read(pin, index, source, records, context) {
      const maxRecordBytes = context.limits?.maxRecordBytes ?? DEFAULT_LIMITS.maxRecordBytes
      const decode = decoderOf(pin, index, source)
      const ranges = records.map((record) => rangeOf(pin, index, record, format.frameBytes, maxRecordBytes))
      const fetchFrom = ({ dataUri: uri, dataEtag: etag, dataBytes: bytes }: ShardIndex) =>
        context.pages.read(context.store, { uri, etag, bytes }, ranges, context.signal)
      const frames = await fetchFrom(moved.get(index) ?? index).catch(async (error: unknown) => {
        if (index.dataUri === pin.uri || !isLost(error)) throw error
        const found = await relocated(format, pin, index, source, context)
        moved.set(index, found)
        return fetchFrom(found)
      })
      return frames.map((frame, at) => {
        const place = { shard: pin.uri, record: records[at] ?? 0, offset: ranges[at]?.offset ?? 0 }
        try {
          return decode(frame, place)
        } catch (error) {
          throw toStokerError(error).with({ place })
        }
      })
    },
  }
}

/** Bytes of a record and its frame. @throws StokerError when there is no such record, or it cannot be read. */
function rangeOf(pin: ShardPin, index: ShardIndex, record: number, frameBytes: number, maxBytes: number): Range {
  const offset = index.offsets[record]
  const length = index.lengths[record]
  if (offset === undefined || length === undefined) {
    // Whatever ended the scan, it is a fault of the data.
    if (index.fault && record === index.count - 1) throw fromErrorView(index.fault, 422)
    throw NoSuchRecord(pin.uri, record, index.count).with({ place: { shard: pin.uri, record } })
  }
  if (length > maxBytes) {
    throw RecordTooLong(pin.uri, record, offset, String(length), maxBytes).with({
      place: { shard: pin.uri, record, offset },
    })
  }
  return { offset, length: frameBytes + length }
}
