import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { ImageSize } from './random-crop.js'
import { OpSeed, type SeedOption } from './random-flip.js'
import { wrongShape } from './shapes.js'

const Pair = (least: number, most: number, fallback: [number, number], description: string) =>
  Type.Optional(
    Type.Array(Type.Number({ minimum: least, maximum: most }), {
      minItems: 2,
      maxItems: 2,
      default: fallback,
      description,
    }),
  )

export interface Options extends SeedOption {
  readonly scale?: readonly [least: number, most: number]
  readonly ratio?: readonly [least: number, most: number]
}

export const randomResizedCrop = declareOp({
  name: 'randomResizedCrop',
  kind: 'record',
  random: true,
  summary:
    'A part of random area and aspect ratio, resized to [height,width] as tf.image.resize, float32 out. The part is drawn as torchvision RandomResizedCrop does, like tf.image.stateless_sample_distorted_bounding_box.',
  params: Type.Object(
    {
      field: FieldName,
      size: ImageSize,
      scale: Pair(1e-6, 1, [0.08, 1], 'least and most share of the area of the image'),
      ratio: Pair(1e-3, 1e3, [3 / 4, 4 / 3], 'least and most width / height of the part'),
      seed: OpSeed,
    },
    { additionalProperties: false },
  ),
  args: (
    field: string,
    size: readonly [height: number, width: number],
    { scale, ratio, ...options }: Options = {},
  ) => ({
    field,
    size: [...size],
    ...(scale ? { scale: [...scale] } : {}),
    ...(ratio ? { ratio: [...ratio] } : {}),
    ...options,
  }),
  infer: (signature, { field, size, scale, ratio }) => {
    const { shape } = imageField(signature, 'randomResizedCrop', field)
    for (const [name, pair] of Object.entries({ scale, ratio })) {
      if (pair && (pair[0] ?? 0) > (pair[1] ?? 0)) {
        throw wrongShape('randomResizedCrop', field, `${name} [${pair.join(',')}] has its larger number first`)
      }
    }
    return withField(signature, field, {
      dtype: 'float32',
      shape: [size[0] ?? null, size[1] ?? null, shape[2] ?? null],
    })
  },
})
