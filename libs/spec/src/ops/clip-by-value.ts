import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { wrongShape } from './shapes.js'

export const clipByValue = declareOp({
  name: 'clipByValue',
  kind: 'record',
  summary: 'Brings every element into [clipValueMin, clipValueMax], as tf.clip_by_value.',
  params: Type.Object(
    { field: FieldName, clipValueMin: Type.Number(), clipValueMax: Type.Number() },
    { additionalProperties: false },
  ),
  args: (field: string, clipValueMin: number, clipValueMax: number) => ({ field, clipValueMin, clipValueMax }),
  infer: (signature, { field, clipValueMin, clipValueMax }) => {
    numericField(signature, 'clipByValue', field)
    if (clipValueMin > clipValueMax) {
      throw wrongShape('clipByValue', field, `clipValueMin ${clipValueMin} is above clipValueMax ${clipValueMax}`)
    }
    return signature
  },
})
