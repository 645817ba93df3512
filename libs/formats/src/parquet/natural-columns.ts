import type { ParquetColumn } from '@stoker/spec'
import { parquetSchema, type SchemaTree } from 'hyparquet'
import type { FormatContext, ShardPin } from '../types.js'
import { type ColumnKind, kindOf } from './column-kind.js'
import { checked, readFooter } from './table.js'

/**
 * The columns of a file that can be read, each as the type that holds all its values. Texts, lists and floats that may be
 * null have a default that shows it (empty, NaN); whole numbers and bools have none that would not pass for a value.
 */
export async function naturalColumns(
  pin: ShardPin,
  context: Pick<FormatContext, 'store' | 'signal'>,
): Promise<Record<string, ParquetColumn>> {
  const metadata = await readFooter(pin, context)
  const tree = await checked(pin, context.signal, async () => parquetSchema(metadata))
  const columns = tree.children.flatMap((node): [string, ParquetColumn][] => {
    const kind = kindOf(node)
    if (kind.values === 'other') return []
    const dtype = dtypeOf(kind, node)
    const shape = kind.isList ? { shape: [null] } : {}
    return [[node.element.name, { dtype, ...shape, ...defaultOf(kind, node) }]]
  })
  return Object.fromEntries(columns)
}

function defaultOf(kind: ColumnKind, { element }: SchemaTree): Pick<ParquetColumn, 'default'> {
  if (element.repetition_type !== 'OPTIONAL') return {}
  if (kind.isList) return { default: [] }
  if (kind.values === 'bytes') return { default: '' }
  return kind.values === 'float' || kind.values === 'double' ? { default: 'NaN' } : {}
}

function dtypeOf({ values }: ColumnKind, node: SchemaTree): ParquetColumn['dtype'] {
  if (values === 'float') return 'float32'
  if (values === 'double') return 'float64'
  if (values === 'bool') return 'bool'
  if (values === 'bytes') return 'string'
  let leaf = node
  while (leaf.children[0]) leaf = leaf.children[0]
  return leaf.element.type === 'INT64' || values === 'unsigned' ? 'int64' : 'int32'
}
