import type { DType } from '@stoker/spec'
import type { SchemaElement, SchemaTree } from 'hyparquet'

/** What the values of a column are. */
export interface ColumnKind {
  readonly values: 'whole' | 'unsigned' | 'float' | 'double' | 'bool' | 'bytes' | 'other'
  /** One list a row. */
  readonly isList: boolean
  /** For errors: `list of int64`. */
  readonly name: string
}

/** Kind of a column by the schema: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md */
export function kindOf(node: SchemaTree): ColumnKind {
  let leaf = node
  let lists = node.element.repetition_type === 'REPEATED' ? 1 : 0
  while (leaf.children.length === 1 && leaf.children[0]) {
    leaf = leaf.children[0]
    if (leaf.element.repetition_type === 'REPEATED') lists++
  }
  const { values, name } = leaf.children.length > 0 ? OTHER_STRUCT : valuesOf(leaf.element)
  // A struct of one column is no list and no value.
  const isPlain = lists > 0 || leaf === node
  if (!isPlain || lists > 1) return { values: 'other', isList: false, name: lists > 1 ? 'list of lists' : 'struct' }
  return { values, isList: lists === 1, name: lists === 1 ? `list of ${name}` : name }
}

const OTHER_STRUCT = { values: 'other', name: 'struct' } as const

function valuesOf({ type, converted_type, logical_type, precision, scale }: SchemaElement): Omit<ColumnKind, 'isList'> {
  const logical: string | undefined = logical_type?.type
  if (converted_type === 'DECIMAL' || logical === 'DECIMAL')
    return { values: 'other', name: `decimal(${precision}, ${scale})` }
  if (logical === 'FLOAT16' || converted_type === 'INTERVAL')
    return { values: 'other', name: (logical ?? 'interval').toLowerCase() }
  const isUnsigned =
    converted_type?.startsWith('UINT_') || (logical_type?.type === 'INTEGER' && logical_type.isSigned === false)
  switch (type) {
    case 'INT32':
    case 'INT64': {
      const name = (converted_type ?? logical ?? type).toLowerCase().replace('_', '')
      return { values: isUnsigned ? 'unsigned' : 'whole', name: name === 'integer' ? type.toLowerCase() : name }
    }
    case 'FLOAT':
      return { values: 'float', name: 'float' }
    case 'DOUBLE':
      return { values: 'double', name: 'double' }
    case 'BOOLEAN':
      return { values: 'bool', name: 'bool' }
    case 'BYTE_ARRAY':
    case 'FIXED_LEN_BYTE_ARRAY':
      return { values: 'bytes', name: (converted_type ?? logical ?? 'bytes').toLowerCase() }
    default:
      return { values: 'other', name: (type ?? 'struct').toLowerCase() }
  }
}

const WHOLE: readonly (DType | 'string')[] = ['uint8', 'int8', 'uint16', 'int16', 'int32', 'int64']

/** Types that hold values of a kind as they are; of whole ones each value is looked at besides. */
export const DTYPES_OF: Readonly<Record<ColumnKind['values'], readonly (DType | 'string')[]>> = {
  whole: WHOLE,
  unsigned: WHOLE,
  float: ['float32', 'float64'],
  double: ['float64'],
  bool: ['bool'],
  bytes: ['string'],
  other: [],
}
