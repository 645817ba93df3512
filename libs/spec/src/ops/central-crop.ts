import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const centralCrop = declareOp({
  name: 'centralCrop',
  kind: 'record',
  keepsValues: true,
  summary: 'The middle fraction of both sides of an image, as tf.image.central_crop.',
  params: Type.Object(
    { field: FieldName, fraction: Type.Number({ exclusiveMinimum: 0, maximum: 1 }) },
    { additionalProperties: false },
  ),
  args: (field: string, fraction: number) => ({ field, fraction }),
  infer: (signature, { field, fraction }) => {
    const { dtype, shape } = imageField(signature, 'centralCrop', field)
    const middle = (side: number | null = null) => (side === null ? null : centralPart(side, fraction).length)
    return withField(signature, field, { dtype, shape: [middle(shape[0]), middle(shape[1]), shape[2] ?? null] })
  },
})

/** Start and length of the middle of a side, in double precision as TensorFlow has it. */
export function centralPart(side: number, fraction: number): { readonly start: number; readonly length: number } {
  const start = Math.trunc((side - side * fraction) / 2)
  return { start, length: side - start * 2 }
}
