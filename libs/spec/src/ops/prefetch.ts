import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { AUTOTUNE, type Knob, knob } from '../knobs.js'

export const prefetch = declareOp({
  name: 'prefetch',
  kind: 'order',
  summary: 'How many batches are made ahead of the consumer, as tf.data.Dataset.prefetch.',
  params: Type.Object({ depth: Type.Optional(knob(1, 65_536)) }, { additionalProperties: false }),
  args: (depth: Knob = AUTOTUNE) => ({ depth }),
  infer: (signature) => signature,
})
