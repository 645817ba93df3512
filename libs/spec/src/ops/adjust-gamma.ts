import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const adjustGamma = declareOp({
  name: 'adjustGamma',
  kind: 'record',
  summary: 'gain * value ** gamma (pixels by way of 0 to 1, clipped), as tf.image.adjust_gamma.',
  params: Type.Object(
    {
      field: FieldName,
      gamma: Type.Number({ minimum: 0 }),
      gain: Type.Optional(Type.Number({ default: 1 })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, gamma: number, gain?: number) => ({ field, gamma, ...(gain === undefined ? {} : { gain }) }),
  infer: (signature, { field }) => {
    imageField(signature, 'adjustGamma', field)
    return signature
  },
})
