import { RECORD_FIELD, type Source } from '@stoker/spec'
import { createByteFormat } from './byte-format/create.js'
import type { RecordPlace } from './byte-format/scanner.js'
import { RecordCorrupt } from './error-table.js'
import { maskedCrc32c } from './tfrecord/crc.js'
import { FOOTER_BYTES, FRAME_BYTES, FrameScanner, HEADER_BYTES } from './tfrecord/frame.js'
import { sidecarSpans } from './tfrecord/sidecar.js'
import { startsFrame } from './tfrecord/sniff.js'
import type { Bytes, Format } from './types.js'

export type TfrecordSource = Extract<Source, { type: 'tfrecord' }>

/** TFRecord shards, as `tf.data.TFRecordDataset`: the field `record`. */
export const tfrecord: Format<TfrecordSource> = createByteFormat<TfrecordSource>({
  name: 'tfrecord',
  frameBytes: FRAME_BYTES,
  isPlain: startsFrame,
  scanner: (_, options) => new FrameScanner(options),
  sidecar: sidecarSpans,
  decoder: () => (frame, place) => ({ [RECORD_FIELD]: checkedPayload(frame, place) }),
})

function checkedPayload(frame: Uint8Array, { shard, record, offset }: RecordPlace): Bytes {
  const payload = frame.subarray(HEADER_BYTES, frame.length - FOOTER_BYTES)
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const isLengthRight = view.getBigUint64(0, true) === BigInt(payload.length)
  if (!isLengthRight || view.getUint32(frame.length - FOOTER_BYTES, true) !== maskedCrc32c(payload)) {
    throw RecordCorrupt(shard, record, offset, payload.length)
  }
  return { dtype: 'string', shape: [], data: payload }
}
