import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { DuplicateColumn, UnknownColumn } from '../error-table.js'
import { FieldName } from '../knobs.js'
import { elementOf, Literal } from '../literal.js'
import type { Signature } from '../signature.js'
import { fileParams } from './files.js'

const Column = Type.Object(
  {
    name: FieldName,
    dtype: Type.Enum(['int32', 'int64', 'float32', 'float64', 'string'] as const),
    default: Type.Optional(Literal),
  },
  { additionalProperties: false, description: 'without a default an empty cell is an error' },
)
export type CsvColumn = Static<typeof Column>

const params = Type.Object(
  {
    ...fileParams('s3://bucket/table-*.csv'),
    columns: Type.Array(Column, {
      minItems: 1,
      maxItems: 10_000,
      description:
        'with a header: the columns wanted, found by name in the header of each file; without: all columns, in their order',
    }),
    header: Type.Optional(Type.Boolean({ default: true, description: 'the first row of each file names its columns' })),
    selectCols: Type.Optional(
      Type.Array(FieldName, { minItems: 1, maxItems: 10_000, description: 'the columns that become fields' }),
    ),
    fieldDelim: Type.Optional(
      Type.String({ pattern: '^[\\u0001-\\u0009\\u000b\\u000c\\u000e-\\u0021\\u0023-\\u007f]$', default: ',' }),
    ),
    useQuoteDelim: Type.Optional(
      Type.Boolean({ default: true, description: 'false takes double quotes for ordinary characters' }),
    ),
    naValue: Type.Optional(
      Type.String({ maxLength: 1024, default: '', description: 'a cell like this counts as empty' }),
    ),
  },
  { additionalProperties: false },
)

/** `tf.data.experimental.CsvDataset`: one scalar field a column. */
export const csv = declareSource({
  name: 'csv',
  summary:
    'Rows of CSV files (RFC 4180), as tf.data.experimental.CsvDataset; columns are named as in make_csv_dataset.',
  readsShards: true,
  params,
  infer: (source) => {
    const signature: Record<string, Signature[string]> = {}
    for (const { name, dtype } of csvFields(source)) signature[name] = { dtype, shape: [] }
    return signature
  },
})

/**
 * The columns that become fields, in the order of `columns`.
 * @throws StokerError when a name comes twice, is unknown, or a default does not fit.
 */
export function csvFields(source: Pick<Static<typeof params>, 'columns' | 'selectCols'>): CsvColumn[] {
  const names = new Set<string>()
  for (const { name, dtype, default: fallback } of source.columns) {
    if (names.has(name)) throw DuplicateColumn(name).with({ place: { field: name } })
    names.add(name)
    if (fallback !== undefined) elementOf(dtype, fallback)
  }
  const wanted = source.selectCols && new Set(source.selectCols)
  for (const name of wanted ?? []) {
    if (!names.has(name)) throw UnknownColumn(name, [...names].join(', ')).with({ place: { field: name } })
  }
  return source.columns.filter(({ name }) => wanted?.has(name) ?? true)
}
