import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { type MixOptions, MixParams, softLabel } from './mixup.js'

export const cutmix = declareOp({
  name: 'cutmix',
  kind: 'batch',
  random: true,
  summary:
    'Puts a rectangle of another record of the batch into each image and mixes the labels by its area; one rectangle a batch, its size from Beta(alpha, alpha) (Yun et al. 2019).',
  params: MixParams(1),
  args: (field: string, label: string, options: MixOptions = {}) => ({ field, label, ...options }),
  infer: (signature, { field, label }) => {
    imageField(signature, 'cutmix', field)
    softLabel(signature, 'cutmix', label)
    return signature
  },
  touches: ({ field, label }) => [field, label],
})
