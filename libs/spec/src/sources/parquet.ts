import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { DTYPES } from '../dtype.js'
import { FieldName } from '../knobs.js'
import { checkLiterals, Literals } from '../literal.js'
import type { Signature } from '../signature.js'
import { fileParams } from './files.js'

const Column = Type.Object(
  {
    column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'name in the file; the name of the field if not given',
      }),
    ),
    dtype: Type.Enum([...DTYPES, 'string'] as const, {
      description:
        'whole columns (dates and times too, as they are stored) go into every whole type that holds their values, float into float32 and float64, double into float64, bool into bool, texts and bytes into string',
    }),
    shape: Type.Optional(
      Type.Array(Type.Union([Type.Integer({ minimum: 0, maximum: 1 << 24 }), Type.Null()]), {
        maxItems: 1,
        default: [],
        description: 'of a list: [n], or [null] for any length',
      }),
    ),
    default: Type.Optional(Literals),
  },
  { additionalProperties: false, description: 'without a default a null is an error' },
)
export type ParquetColumn = Static<typeof Column>

// The pages of a file are compressed, each column as it says, and never the file.
const { compression: _, ...files } = fileParams('s3://bucket/table-*.parquet')

/** Rows of Parquet files; only the columns asked for are fetched. */
export const parquet = declareSource({
  name: 'parquet',
  summary: 'Rows of Apache Parquet files: a field for each column asked for, int64 exact.',
  readsShards: true,
  params: Type.Object(
    {
      ...files,
      columns: Type.Union([Type.Record(FieldName, Column, { minProperties: 1 }), Type.Literal('all')], {
        description: 'all: every column that can be read, for looking only, since a chain needs names and types',
      }),
    },
    { additionalProperties: false },
  ),
  infer: ({ columns }) => {
    const signature: Record<string, Signature[string]> = {}
    if (columns === 'all') return signature
    for (const [name, { dtype, shape = [], default: fallback }] of Object.entries(columns)) {
      checkLiterals(name, dtype, shape, fallback)
      signature[name] = { dtype, shape }
    }
    return signature
  },
})
