import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { type FrameOptions, FrameParams, framesIn, signalField } from './audio.js'

export const frames = declareOp({
  name: 'frames',
  kind: 'record',
  summary: 'Cuts a signal [samples] into overlapping frames [frames,frameLength], as tf.signal.frame.',
  params: Type.Object(
    { ...FrameParams, padValue: Type.Optional(Type.Number({ default: 0 })) },
    { additionalProperties: false },
  ),
  args: (field: string, options: FrameOptions & { readonly padValue?: number }) => ({ field, ...options }),
  infer: (signature, { field, ...params }) => {
    const spec = signalField(signature, 'frames', field)
    return withField(signature, field, { dtype: spec.dtype, shape: [framesIn(spec, params), params.frameLength] })
  },
})
