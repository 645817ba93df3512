import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { OpSeed, type SeedOption } from './random-flip.js'

const Even = Type.Integer({ minimum: 2, maximum: 65_534, multipleOf: 2 })

export const randomCutout = declareOp({
  name: 'randomCutout',
  kind: 'record',
  random: true,
  summary:
    'Fills a rectangle at a random place, as tfa.image.random_cutout: maskSize is even, its centre lies anywhere in the image, what is outside is left out.',
  params: Type.Object(
    {
      field: FieldName,
      maskSize: Type.Array(Even, { minItems: 2, maxItems: 2, description: '[height, width] in pixels' }),
      constantValues: Type.Optional(Type.Number({ default: 0 })),
      seed: OpSeed,
    },
    { additionalProperties: false },
  ),
  args: (
    field: string,
    maskSize: number | readonly [height: number, width: number],
    options: SeedOption & { readonly constantValues?: number } = {},
  ) => ({ field, maskSize: typeof maskSize === 'number' ? [maskSize, maskSize] : [...maskSize], ...options }),
  infer: (signature, { field }) => {
    imageField(signature, 'randomCutout', field)
    return signature
  },
})
