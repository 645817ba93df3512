import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { DTYPE_BYTES, DTYPES } from '../dtype.js'
import { WrongShape } from '../error-table.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const decodeRaw = declareOp({
  name: 'decodeRaw',
  kind: 'record',
  summary: 'Bytes as numbers, as tf.io.decode_raw: [bytes / bytes of an element].',
  params: Type.Object(
    {
      field: FieldName,
      dtype: Type.Enum(DTYPES),
      littleEndian: Type.Optional(Type.Boolean({ default: true })),
      fixedLength: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1 << 30, description: 'bytes: cut, or padded with zeros' }),
      ),
    },
    { additionalProperties: false },
  ),
  args: (
    field: string,
    dtype: (typeof DTYPES)[number],
    options: { readonly littleEndian?: boolean; readonly fixedLength?: number } = {},
  ) => ({ field, dtype, ...options }),
  infer: (signature, { field, dtype, fixedLength }) => {
    bytesField(signature, 'decodeRaw', field)
    const width = DTYPE_BYTES[dtype]
    if (fixedLength !== undefined && fixedLength % width !== 0) {
      throw WrongShape('decodeRaw', `fixedLength ${fixedLength} is no multiple of the ${width} bytes of ${dtype}`)
    }
    return withField(signature, field, { dtype, shape: [fixedLength === undefined ? null : fixedLength / width] })
  },
})
