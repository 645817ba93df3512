import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { CropOutside } from '../error-table.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Size } from './image-field.js'

const Offset = Type.Array(Type.Integer({ minimum: 0, maximum: 65_535 }), {
  minItems: 2,
  maxItems: 2,
  description: '[top, left] in pixels',
})

export const crop = declareOp({
  name: 'crop',
  kind: 'record',
  keepsValues: true,
  summary: 'The part of an image at an offset with a size, as tf.image.crop_to_bounding_box.',
  params: Type.Object({ field: FieldName, offset: Offset, size: Size }, { additionalProperties: false }),
  args: (
    field: string,
    {
      offset,
      size,
    }: {
      readonly offset: readonly [top: number, left: number]
      readonly size: readonly [height: number, width: number]
    },
  ) => ({ field, offset: [...offset], size: [...size] }),
  infer: (signature, { field, offset, size }) => {
    const { dtype, shape } = imageField(signature, 'crop', field)
    for (const axis of [0, 1]) {
      const [start = 0, length = 0, side] = [offset[axis], size[axis], shape[axis]]
      if (side !== null && side !== undefined && start + length > side) {
        throw CropOutside(start, length, side).with({ place: { op: 'crop', field } })
      }
    }
    return withField(signature, field, { dtype, shape: [size[0] ?? null, size[1] ?? null, shape[2] ?? null] })
  },
})
