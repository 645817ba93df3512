import { bytesOf, withField } from '../fields.js'
import { type DecodeImageOptions, type DecodeOp, decodeImage as decoded } from '../image/decode.js'
import type { KernelOf, RecordFunction } from '../kernel.js'

export const decodeImage: KernelOf<'decodeImage'> = ({
  field,
  channels = 0,
  dtype = 'uint8',
  applyOrientation = false,
}) => decoding('decodeImage', field, { channels, dtype, applyOrientation })

/** As `tf.io.decode_jpeg`, which takes PNG bytes too: the first bytes decide, not the name of the op. */
export const decodeJpeg: KernelOf<'decodeJpeg'> = ({ field, channels = 0, applyOrientation = false }) =>
  decoding('decodeJpeg', field, { channels, applyOrientation })

export const decodePng: KernelOf<'decodePng'> = ({ field, channels = 0, dtype = 'uint8' }) =>
  decoding('decodePng', field, { channels, dtype })

export const decodeBmp: KernelOf<'decodeBmp'> = ({ field, channels = 0 }) => decoding('decodeBmp', field, { channels })

export const decodeGif: KernelOf<'decodeGif'> = ({ field }) => decoding('decodeGif', field, { channels: 3 })

export const decodeWebp: KernelOf<'decodeWebp'> = ({ field, channels = 0 }) =>
  decoding('decodeWebp', field, { channels })

/** Answers at once but for WebP, whose decoder has no synchronous form. */
function decoding(op: DecodeOp, field: string, options: DecodeImageOptions): RecordFunction {
  return (record) => {
    const image = decoded(bytesOf(record, op, field), { ...options, op })
    return image instanceof Promise
      ? image.then((value) => withField(record, field, value))
      : withField(record, field, image)
  }
}
