import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Size } from './image-field.js'

export const RESIZE_METHODS = [
  'nearest',
  'area',
  'bilinear',
  'bicubic',
  'lanczos3',
  'lanczos5',
  'gaussian',
  'mitchellcubic',
] as const
export type ResizeMethod = (typeof RESIZE_METHODS)[number]

/**
 * Methods whose results are means of pixels, thus never outside the pixels' range: rounding such a result to whole pixels
 * is off by half a level at most. The others overshoot at edges, so that rounding would also clip.
 */
export const ROUNDABLE_METHODS: ReadonlySet<ResizeMethod> = new Set(['nearest', 'area', 'bilinear', 'gaussian'])

export const Method = Type.Enum(RESIZE_METHODS, { default: 'bilinear' })
export const Antialias = Type.Boolean({
  default: false,
  description: 'low-pass filter when shrinking; nearest and area take no notice',
})

export interface ResizeChoices {
  readonly method?: ResizeMethod
  readonly antialias?: boolean
  readonly preserveAspectRatio?: boolean
}

export const resize = declareOp({
  name: 'resize',
  kind: 'record',
  summary:
    'Resizes an image to [height,width], as tf.image.resize: half-pixel centres, float32 out (nearest keeps the type).',
  params: Type.Object(
    {
      field: FieldName,
      size: Size,
      method: Type.Optional(Method),
      antialias: Type.Optional(Antialias),
      preserveAspectRatio: Type.Optional(
        Type.Boolean({ default: false, description: 'the largest size inside the asked one with the ratio kept' }),
      ),
    },
    { additionalProperties: false },
  ),
  args: (field: string, size: readonly [height: number, width: number], options: ResizeChoices = {}) => ({
    field,
    size: [...size],
    ...options,
  }),
  infer: (signature, { field, size, method, preserveAspectRatio }) => {
    const { dtype, shape } = imageField(signature, 'resize', field)
    const sides = preserveAspectRatio ? [null, null] : [size[0] ?? null, size[1] ?? null]
    return withField(signature, field, {
      dtype: method === 'nearest' ? dtype : 'float32',
      shape: [...sides, shape[2] ?? null],
    })
  },
})
