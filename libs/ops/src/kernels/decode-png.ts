import { bytesOf, withField } from '../fields.js'
import { decodeImage } from '../image/decode.js'
import type { KernelOf } from '../kernel.js'

/** As `tf.io.decode_png`, which takes JPEG bytes too. */
export const decodePng: KernelOf<'decodePng'> =
  ({ field, channels = 0 }) =>
  (record) => {
    const image = decodeImage(bytesOf(record, 'decodePng', field), { channels })
    return image instanceof Promise
      ? image.then((value) => withField(record, field, value))
      : withField(record, field, image)
  }
