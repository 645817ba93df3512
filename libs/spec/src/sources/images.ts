import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { ImageClasses } from '../error-table.js'
import type { Signature } from '../signature.js'

const params = Type.Object(
  {
    folder: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'URI of the folder or key prefix, no pattern: s3://bucket/photos, file:photos',
    }),
    labels: Type.Optional(
      Type.Enum(['inferred', 'none'] as const, {
        default: 'inferred',
        description: 'inferred: the folder below `folder` that an image lies in, at any depth, is its class',
      }),
    ),
    classNames: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^/]+$' }), {
        minItems: 1,
        maxItems: 100_000,
        uniqueItems: true,
        description:
          'the classes in the order of their labels, so that training and validation agree; other folders are left out. By default all folders with images, sorted by bytes',
      }),
    ),
    path: Type.Optional(
      Type.Boolean({ default: false, description: 'adds the field path: where below `folder` the image lies' }),
    ),
    shuffle: Type.Optional(
      Type.Boolean({ default: false, description: 'permute the chunks of 1,024 images anew each epoch' }),
    ),
  },
  { additionalProperties: false },
)
export type ImagesParams = Static<typeof params>

/** `keras.utils.image_dataset_from_directory`, without decoding. */
export const images = declareSource({
  name: 'images',
  summary:
    'Image files below a folder, as keras.utils.image_dataset_from_directory finds them: fields image (bytes), label (int32).',
  readsShards: true,
  params,
  infer: ({ labels, classNames, path }) => {
    if (labels === 'none' && classNames) throw ImageClasses().with({ place: { field: 'label' } })
    const signature: Record<string, Signature[string]> = { image: { dtype: 'string', shape: [] } }
    if (labels !== 'none') signature.label = { dtype: 'int32', shape: [] }
    if (path) signature.path = { dtype: 'string', shape: [] }
    return signature
  },
})
