import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { isFloat } from '../dtype.js'
import { WrongFieldType } from '../error-table.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type Signature } from '../signature.js'
import { OpSeed, type SeedOption } from './random-flip.js'

/** Labels that can be mixed: a vector of shares, such as oneHot gives. */
export function softLabel(signature: Signature, op: string, label: string): void {
  const spec = numericField(signature, op, label)
  if (isFloat(spec.dtype) && spec.shape.length > 0) return
  throw WrongFieldType(op, label, 'a float vector of class shares', describeField(spec)).with({
    place: { op, field: label },
    remedy: `put oneHot('${label}', depth) before batch`,
  })
}

export const MIXED: readonly string[] = ['uint8', 'float32', 'float64']

/** A field whose values can be mixed. */
export function mixedField(signature: Signature, op: string, field: string): ReturnType<typeof numericField> {
  const spec = numericField(signature, op, field)
  if (MIXED.includes(spec.dtype)) return spec
  throw WrongFieldType(op, field, MIXED.join(', '), spec.dtype).with({ place: { op, field } })
}

export const MixParams = (alpha: number) =>
  Type.Object(
    {
      field: FieldName,
      label: FieldName,
      alpha: Type.Optional(
        Type.Number({ minimum: 1e-3, maximum: 1e3, default: alpha, description: 'both parameters of the Beta law' }),
      ),
      seed: OpSeed,
    },
    { additionalProperties: false },
  )

export interface MixOptions extends SeedOption {
  readonly alpha?: number
}

export const mixup = declareOp({
  name: 'mixup',
  kind: 'batch',
  random: true,
  summary:
    'Blends each record of the batch with another of it, and their labels alike, by one share drawn from Beta(alpha, alpha) for the batch (Zhang et al. 2018); uint8 is rounded.',
  params: MixParams(0.2),
  args: (field: string, label: string, options: MixOptions = {}) => ({ field, label, ...options }),
  infer: (signature, { field, label }) => {
    mixedField(signature, 'mixup', field)
    softLabel(signature, 'mixup', label)
    return signature
  },
  touches: ({ field, label }) => [field, label],
})
