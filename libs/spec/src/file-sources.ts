import type { Static } from 'typebox'
import type { Source } from './pipeline.js'
import type { CsvColumn } from './sources/csv.js'
import type { SOURCES } from './sources/index.js'
import type { JsonFeature } from './sources/json-lines.js'
import type { ParquetColumn } from './sources/parquet.js'
import type { WebdatasetFieldSpec } from './sources/webdataset.js'

type Options<Name extends keyof typeof SOURCES, Taken extends string> = Omit<
  Static<(typeof SOURCES)[Name]['params']>,
  Taken
>
type Files = string | readonly string[]
const listed = (files: Files): string | string[] => (typeof files === 'string' ? files : [...files])

/** Lines of text files as tf.data.TextLineDataset: the field `line`. */
export function textLines(files: Files, options: Options<'textLines', 'files'> = {}): Source {
  return { type: 'textLines', files: listed(files), ...options }
}

/**
 * Rows of CSV files as tf.data.experimental.CsvDataset: one scalar field a column.
 *
 * @example csv('file:data/*.csv', { columns: [{ name: 'age', dtype: 'float32', default: 0 }, { name: 'label', dtype: 'int64' }] })
 */
export function csv(
  files: Files,
  options: Omit<Options<'csv', 'files'>, 'columns'> & { readonly columns: readonly CsvColumn[] },
): Source {
  return { type: 'csv', files: listed(files), ...options, columns: [...options.columns] }
}

/**
 * JSON objects, one a line.
 *
 * @example jsonLines('file:data/*.jsonl', { id: { dtype: 'int64' }, box: { dtype: 'float32', shape: [4], path: 'object.box' } })
 */
export function jsonLines(
  files: Files,
  features: Readonly<Record<string, JsonFeature>>,
  options: Options<'jsonLines', 'files' | 'features'> = {},
): Source {
  return { type: 'jsonLines', files: listed(files), features: { ...features }, ...options }
}

/**
 * Samples of WebDataset tar shards: the bytes of each named extension, or declared fields. `__key__` comes with them.
 *
 * @example webdataset('s3://data/train-*.tar', ['jpg', 'cls'])
 * @example webdataset('s3://data/train-*.tar', { image: { from: ['jpg', 'png'] }, label: { from: 'cls', dtype: 'int64' } }, { key: false })
 */
export function webdataset(
  files: Files,
  fields: readonly string[] | Readonly<Record<string, WebdatasetFieldSpec>>,
  options: Options<'webdataset', 'files' | 'fields'> = {},
): Source {
  const declared = Array.isArray(fields) ? [...fields] : { ...(fields as Record<string, WebdatasetFieldSpec>) }
  return { type: 'webdataset', files: listed(files), fields: declared, ...options }
}

/**
 * Image files below a folder or key prefix, with the folder that each lies in as its class.
 *
 * @example images('s3://data/photos', { classNames: ['cat', 'dog'] })
 */
export function images(folder: string, options: Options<'images', 'folder'> = {}): Source {
  return { type: 'images', folder, ...options }
}

/**
 * Rows of Parquet files: the columns asked for.
 *
 * @example parquet('s3://data/*.parquet', { label: { dtype: 'int64' }, vector: { column: 'embedding', dtype: 'float32', shape: [384] } })
 */
export function parquet(
  files: Files,
  columns: Readonly<Record<string, ParquetColumn>>,
  options: Options<'parquet', 'files' | 'columns'> = {},
): Source {
  return { type: 'parquet', files: listed(files), columns: { ...columns }, ...options }
}
