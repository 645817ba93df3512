import { bytesOf, withField } from '../fields.js'
import { decodeImage } from '../image/decode.js'
import type { KernelOf } from '../kernel.js'

/** As `tf.io.decode_jpeg`, which takes PNG bytes too: the first bytes decide, not the name of the op. */
export const decodeJpeg: KernelOf<'decodeJpeg'> =
  ({ field, channels = 0 }) =>
  (record) => {
    const image = decodeImage(bytesOf(record, 'decodeJpeg', field), { channels })
    return image instanceof Promise
      ? image.then((value) => withField(record, field, value))
      : withField(record, field, image)
  }
