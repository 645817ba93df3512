import { RECORD_FIELD, type Source } from '@stoker/spec'
import { NoSuchRecord, RecordCorrupt } from './error-table.js'
import type { Range } from './page-cache.js'
import { pinFiles } from './pin-files.js'
import { maskedCrc32c } from './tfrecord/crc.js'
import { FOOTER_BYTES, FRAME_BYTES, HEADER_BYTES } from './tfrecord/frame.js'
import { indexShard, isLost, relocated } from './tfrecord/index-shard.js'
import type { Bytes, Format, ShardIndex, ShardPin } from './types.js'

export type TfrecordSource = Extract<Source, { type: 'tfrecord' }>

/** TFRecord shards, uncompressed, GZIP or ZLIB; compressed ones are inflated once into scratch. */
export const tfrecord: Format<TfrecordSource> = {
  pin: ({ files }, context) => pinFiles(files, context),

  index: (pin, source, context) => indexShard(pin, source.compression ?? 'NONE', context),

  async read(pin, index, source, records, context) {
    const compression = source.compression ?? 'NONE'
    const fetchFrames = (from: ShardIndex) =>
      context.pages.read(
        context.store,
        { uri: from.dataUri, etag: from.dataEtag, bytes: from.dataBytes },
        records.map((record) => frameRange(pin, from, record)),
        context.signal,
      )
    const frames = await fetchFrames(moved.get(index) ?? index).catch(async (error: unknown) => {
      if (compression === 'NONE' || !isLost(error)) throw error
      const found = await relocated(pin, index, compression, context)
      moved.set(index, found)
      return fetchFrames(found)
    })
    return frames.map((frame, at) => {
      const record = records[at] ?? 0
      return { [RECORD_FIELD]: checkedPayload(pin, record, index.offsets[record] ?? 0, frame) }
    })
  },
}

/** Indexes whose inflated copy was cleaned away or written anew after they were made, and where the copy is now. */
const moved = new WeakMap<ShardIndex, ShardIndex>()

function frameRange(pin: ShardPin, index: ShardIndex, record: number): Range {
  const offset = index.offsets[record]
  const length = index.lengths[record]
  if (offset === undefined || length === undefined) {
    throw NoSuchRecord(pin.uri, record, index.count).with({ place: { shard: pin.uri, record } })
  }
  return { offset, length: FRAME_BYTES + length }
}

function checkedPayload(pin: ShardPin, record: number, offset: number, frame: Uint8Array): Bytes {
  const payload = frame.subarray(HEADER_BYTES, frame.length - FOOTER_BYTES)
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const isLengthRight = view.getBigUint64(0, true) === BigInt(payload.length)
  if (!isLengthRight || view.getUint32(frame.length - FOOTER_BYTES, true) !== maskedCrc32c(payload)) {
    throw RecordCorrupt(pin.uri, record, offset, payload.length).with({
      place: { shard: pin.uri, record, offset },
    })
  }
  return { dtype: 'string', shape: [], data: payload }
}
