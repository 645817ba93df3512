import { type Static, Type } from 'typebox'
import { declareOp } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { RECORD_FIELD, type Signature } from '../signature.js'

const FixedLen = Type.Object(
  {
    kind: Type.Literal('fixedLen'),
    dtype: Type.Union([Type.Literal('string'), Type.Literal('int64'), Type.Literal('float32')]),
    shape: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 1 << 24 }), { maxItems: 8, default: [] })),
    default: Type.Optional(
      Type.Union([Type.Number(), Type.String(), Type.Array(Type.Number()), Type.Array(Type.String())], {
        description:
          'value for records that lack the feature: one value for all elements, or one an element; int64 beyond 2^53 as a decimal string',
      }),
    ),
  },
  { additionalProperties: false },
)

export type FeatureSpec = Static<typeof FixedLen>

/** `tf.io.FixedLenFeature(shape, dtype, default_value)`. */
export function fixedLen(
  dtype: FeatureSpec['dtype'],
  shape: readonly number[] = [],
  fallback?: FeatureSpec['default'],
): FeatureSpec {
  return { kind: 'fixedLen', dtype, shape: [...shape], ...(fallback === undefined ? {} : { default: fallback }) }
}

export const parseExample = declareOp({
  name: 'parseExample',
  kind: 'record',
  summary: 'Parses a tf.train.Example into named features, as tf.io.parse_single_example.',
  params: Type.Object(
    { features: Type.Record(FieldName, FixedLen, { minProperties: 1 }) },
    { additionalProperties: false },
  ),
  args: (features: Readonly<Record<string, FeatureSpec>>) => ({ features: { ...features } }),
  infer: (signature, { features }) => {
    bytesField(signature, 'parseExample', RECORD_FIELD)
    const parsed: Record<string, Signature[string]> = {}
    for (const [name, feature] of Object.entries(features))
      parsed[name] = { dtype: feature.dtype, shape: feature.shape ?? [] }
    return parsed
  },
})
