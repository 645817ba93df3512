import { type Static, Type } from 'typebox'
import { checkLiterals, elementOf } from './literal.js'
import type { FieldSpec } from './signature.js'

const ListType = Type.Enum(['string', 'int64', 'float32'] as const, {
  description: 'the list that holds the feature: BytesList, Int64List or FloatList',
})
const Shape = Type.Array(Type.Integer({ minimum: 1, maximum: 1 << 24 }), { maxItems: 8, default: [] })

const FixedLen = Type.Object(
  {
    kind: Type.Literal('fixedLen'),
    dtype: ListType,
    shape: Type.Optional(Shape),
    default: Type.Optional(
      Type.Union([Type.Number(), Type.String(), Type.Array(Type.Number()), Type.Array(Type.String())], {
        description:
          'value for records that lack the feature: one value for all elements, or one an element; int64 beyond 2^53 as a decimal string',
      }),
    ),
  },
  { additionalProperties: false },
)

const VarLen = Type.Object(
  {
    kind: Type.Literal('varLen'),
    dtype: ListType,
    length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1 << 24, description: 'cut or padded to this many values' }),
    ),
    pad: Type.Optional(
      Type.Union([Type.Number(), Type.String()], {
        description: '0 or "" if not given; int64 beyond 2^53 as a decimal string',
      }),
    ),
  },
  { additionalProperties: false },
)

const FixedLenSequence = Type.Object(
  {
    kind: Type.Literal('fixedLenSequence'),
    dtype: ListType,
    shape: Type.Optional(Shape),
    allowMissing: Type.Optional(
      Type.Boolean({ description: 'false refuses a record without the feature; parseExample knows only true' }),
    ),
  },
  { additionalProperties: false },
)

/** What `parseExample` takes for one feature. */
export const Feature = Type.Union([FixedLen, VarLen, FixedLenSequence])
/** What `parseSequenceExample` takes for one list of steps. */
export const SequenceFeature = Type.Union([VarLen, FixedLenSequence])

export type FixedLenFeature = Static<typeof FixedLen>
export type VarLenFeature = Static<typeof VarLen>
export type FixedLenSequenceFeature = Static<typeof FixedLenSequence>
export type FeatureSpec = Static<typeof Feature>
export type SequenceFeatureSpec = Static<typeof SequenceFeature>

/** `tf.io.FixedLenFeature(shape, dtype, default_value)`. */
export function fixedLen(
  dtype: FixedLenFeature['dtype'],
  shape: readonly number[] = [],
  fallback?: FixedLenFeature['default'],
): FixedLenFeature {
  return { kind: 'fixedLen', dtype, shape: [...shape], ...(fallback === undefined ? {} : { default: fallback }) }
}

/**
 * `tf.io.VarLenFeature(dtype)`, dense: as many values as the record has, [null]; a `paddedBatch` later pads. With a
 * length as `tf.sparse.to_dense` and a slice give it: cut to `length` values, or padded at the end with `pad`.
 */
export function varLen(
  dtype: VarLenFeature['dtype'],
  options: Pick<VarLenFeature, 'length' | 'pad'> = {},
): VarLenFeature {
  return { kind: 'varLen', dtype, ...options }
}

/** `tf.io.FixedLenSequenceFeature(shape, dtype, allow_missing)`: as many items of one shape as the record has. */
export function fixedLenSequence(
  dtype: FixedLenSequenceFeature['dtype'],
  shape: readonly number[] = [],
  options: Pick<FixedLenSequenceFeature, 'allowMissing'> = {},
): FixedLenSequenceFeature {
  return { kind: 'fixedLenSequence', dtype, shape: [...shape], ...options }
}

/**
 * The field that a feature of one example becomes.
 * @throws StokerError STK_SPEC_LITERAL when its default or pad does not fit.
 */
export function featureField(name: string, feature: FeatureSpec): FieldSpec {
  const { dtype } = feature
  if (feature.kind === 'varLen') {
    if (feature.pad !== undefined) elementOf(dtype, feature.pad)
    return { dtype, shape: [feature.length ?? null] }
  }
  const shape = feature.shape ?? []
  if (feature.kind === 'fixedLenSequence') return { dtype, shape: [null, ...shape] }
  checkLiterals(name, dtype, shape, feature.default)
  return { dtype, shape }
}

/** The field that a feature of a sequence becomes: [steps, ...]. */
export function sequenceField(name: string, feature: SequenceFeatureSpec): FieldSpec {
  const { dtype, shape } = featureField(name, feature)
  return { dtype, shape: feature.kind === 'varLen' ? [null, ...shape] : shape }
}
