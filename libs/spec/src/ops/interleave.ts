import { type Static, Type } from 'typebox'
import { declareOp } from '../declare.js'
import { knob } from '../knobs.js'

const Params = Type.Object(
  {
    cycleLength: Type.Optional(knob(1, 4096)),
    blockLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 << 30, default: 1 })),
    parallelism: Type.Optional(knob(1, 1024)),
    deterministic: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false },
)

export const interleave = declareOp({
  name: 'interleave',
  kind: 'order',
  summary:
    'Reads cycleLength shards in turn, blockLength records from each, in the order of tf.data.Dataset.interleave.',
  params: Params,
  args: (options: Static<typeof Params> = {}) => ({ ...options }),
  infer: (signature) => signature,
})
