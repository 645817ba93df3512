import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { decodedShape } from './decode-jpeg.js'
import { FieldOnly } from './image-field.js'

export const decodeGif = declareOp({
  name: 'decodeGif',
  kind: 'record',
  summary:
    'The first frame of a GIF to uint8[height,width,3]: frame 0 of what tf.io.decode_gif gives as [frames,height,width,3].',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    bytesField(signature, 'decodeGif', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(3) })
  },
})
