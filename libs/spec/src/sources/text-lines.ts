import { Type } from 'typebox'
import { declareSource } from '../declare.js'
import { fileParams } from './files.js'

/** `tf.data.TextLineDataset`: the field `line`, one byte string. */
export const textLines = declareSource({
  name: 'textLines',
  summary: 'Lines of text files, as tf.data.TextLineDataset: LF ends a line, every CR is left out.',
  readsShards: true,
  params: Type.Object(fileParams('s3://bucket/*.txt, file:corpus/**/*.txt.gz'), { additionalProperties: false }),
  infer: () => ({ line: { dtype: 'string', shape: [] } }),
})
