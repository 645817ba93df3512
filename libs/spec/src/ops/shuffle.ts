import { Type } from 'typebox'
import { declareOp } from '../declare.js'

const Seed = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const shuffle = declareOp({
  name: 'shuffle',
  kind: 'order',
  summary:
    'Permutes records inside windows of at least bufferSize records gathered from all shards, as tf.data.Dataset.shuffle; "global" permutes all.',
  params: Type.Object(
    {
      bufferSize: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Literal('global')]),
      seed: Type.Optional(Type.Integer({ ...Seed, description: "the job's seed where none is given" })),
      reshuffleEachIteration: Type.Optional(Type.Boolean({ default: true })),
    },
    { additionalProperties: false },
  ),
  args: (
    bufferSize: number | 'global',
    options: { readonly seed?: number; readonly reshuffleEachIteration?: boolean } = {},
  ) => ({
    bufferSize,
    ...options,
  }),
  infer: (signature) => signature,
})
