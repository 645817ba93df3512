import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { DTYPES } from '../dtype.js'
import { FieldName } from '../knobs.js'
import { checkLiterals, Literals } from '../literal.js'
import type { Signature } from '../signature.js'
import { fileParams } from './files.js'

const Key = Type.String({ minLength: 1, maxLength: 1024 })

const Feature = Type.Object(
  {
    dtype: Type.Enum([...DTYPES, 'string'] as const),
    shape: Type.Optional(
      Type.Array(Type.Union([Type.Integer({ minimum: 0, maximum: 1 << 24 }), Type.Null()]), {
        maxItems: 8,
        default: [],
        description: 'arrays in arrays; null as first dimension takes any length',
      }),
    ),
    path: Type.Optional(
      Type.Union([Key, Type.Array(Key, { minItems: 1, maxItems: 32 })], {
        description:
          'where the value lies: "a.b", or ["a", "b"] where keys have dots; the name of the field if not given',
      }),
    ),
    default: Type.Optional(Literals),
  },
  { additionalProperties: false },
)
export type JsonFeature = Static<typeof Feature>

/** One JSON object a line; a field for each declared feature. */
export const jsonLines = declareSource({
  name: 'jsonLines',
  summary: 'JSON objects, one a line (JSON Lines, NDJSON): int64 is exact or refused, empty lines are skipped.',
  readsShards: true,
  params: Type.Object(
    {
      ...fileParams('s3://bucket/*.jsonl'),
      features: Type.Record(FieldName, Feature, { minProperties: 1 }),
    },
    { additionalProperties: false },
  ),
  infer: ({ features }) => {
    const signature: Record<string, Signature[string]> = {}
    for (const [name, { dtype, shape = [], default: fallback }] of Object.entries(features)) {
      checkLiterals(name, dtype, shape, fallback)
      signature[name] = { dtype, shape }
    }
    return signature
  },
})
