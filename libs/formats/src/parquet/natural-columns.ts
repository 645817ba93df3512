import type { ParquetColumn } from '@stoker/spec'
import type { SchemaTree } from 'hyparquet'
import { type ColumnKind, kindOf } from './column-kind.js'

/** The columns of a file that can be read, each as the type that holds all its values. */
export function naturalColumns(tree: SchemaTree): Record<string, ParquetColumn> {
  const columns = tree.children.flatMap((node): [string, ParquetColumn][] => {
    const kind = kindOf(node)
    if (kind.values === 'other') return []
    return [[node.element.name, { dtype: dtypeOf(kind, node), ...(kind.isList ? { shape: [null] } : {}) }]]
  })
  return Object.fromEntries(columns)
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
