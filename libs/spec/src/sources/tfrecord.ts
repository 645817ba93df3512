import { Type } from 'typebox'
import { declareSource } from '../declare.js'
import { RECORD_FIELD } from '../signature.js'

export const COMPRESSIONS = ['NONE', 'GZIP', 'ZLIB'] as const

const Pattern = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'URI or pattern: s3://bucket/train-*.tfrecord, file:data/*.tfrecord',
})

/** `tf.data.TFRecordDataset`: one byte string a record. */
export const tfrecord = declareSource({
  name: 'tfrecord',
  summary: 'TFRecord shards, as tf.data.TFRecordDataset.',
  readsShards: true,
  params: Type.Object(
    {
      files: Type.Union([Pattern, Type.Array(Pattern, { minItems: 1, maxItems: 100_000 })]),
      compression: Type.Optional(
        Type.Union([Type.Literal('NONE'), Type.Literal('GZIP'), Type.Literal('ZLIB')], {
          default: 'NONE',
          description: 'how the shards are compressed',
        }),
      ),
      shuffle: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'permute the shards anew each epoch, as tf.data.Dataset.list_files(shuffle=True)',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  infer: () => ({ [RECORD_FIELD]: { dtype: 'string', shape: [] } }),
})
