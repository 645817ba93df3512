import { Type } from 'typebox'
import { declareSource } from '../declare.js'
import { RECORD_FIELD } from '../signature.js'
import { fileParams } from './files.js'

/** `tf.data.TFRecordDataset`: one byte string a record. */
export const tfrecord = declareSource({
  name: 'tfrecord',
  summary: 'TFRecord shards, as tf.data.TFRecordDataset.',
  readsShards: true,
  params: Type.Object(fileParams('s3://bucket/train-*.tfrecord, file:data/*.tfrecord'), {
    additionalProperties: false,
  }),
  infer: () => ({ [RECORD_FIELD]: { dtype: 'string', shape: [] } }),
})
