import { SOURCES, suggestion } from '@stoker/spec'
import { NoMatch, type ObjectStat, type ObjectStore } from '@stoker/storage'
import { SourceUnclear } from '../error-table.js'
import { type FileKind, isText, kindByBytes, kindByName, unpackedHead } from './file-kind.js'

export interface GuessOptions {
  readonly store: ObjectStore
  /** Kind of the source, where the user says so. */
  readonly type?: string | undefined
  /** A source that reads files like these: its type, unless another is asked for, and its parameters hold. */
  readonly like?: Readonly<Record<string, unknown>> | undefined
}

const HEAD_BYTES = 64 * 1024

/**
 * The source that a pattern of files stands for, as a document: from first bytes and names, the bytes before the name.
 * A folder stands for all files below it.
 *
 * @throws SourceUnclear, NoMatch
 */
export async function guessSource(pattern: string, { store, type, like }: GuessOptions): Promise<unknown> {
  const kindAsked = type ?? (typeof like?.type === 'string' ? like.type : undefined)
  if (type !== undefined && !Object.hasOwn(SOURCES, type)) {
    const known = suggestion(type, Object.keys(SOURCES), 'sources')
    throw SourceUnclear(pattern, `there is no source "${type}"`).with({ remedy: known })
  }
  const { files, first } = await findFiles(pattern, store)
  const head = await headOf(first, store)
  const kind = kindAsked ?? kindByBytes(head) ?? kindByName(first.uri) ?? (isText(head) ? 'textLines' : undefined)
  if (kind === undefined) {
    throw SourceUnclear(pattern, `neither the name nor the first bytes of ${first.uri} say so`)
  }
  if (kind === 'images') return imagesOf(pattern, files, like, store)
  if (like?.type === kind) return { ...like, files }
  if (kind === 'parquet') return { type: kind, files, columns: 'all' }
  if (kind === 'webdataset') return { type: kind, files, fields: 'all' }
  return sourceOfKind(kind, files, head, first.uri)
}

/** A folder of images. @throws SourceUnclear for a pattern or a single file: classes are folders */
async function imagesOf(
  pattern: string,
  files: string,
  like: GuessOptions['like'],
  store: ObjectStore,
): Promise<Readonly<Record<string, unknown>>> {
  if (files === pattern) {
    throw SourceUnclear(pattern, 'images are read by folder').with({ remedy: 'name the folder that they lie in' })
  }
  const folder = pattern.replace(/\/+$/, '')
  if (like?.type === 'images') return { ...like, folder }
  const start = (await store.canonical(folder)).length + 1
  const isFlat = (await store.walk(folder)).every(({ uri }) => !uri.slice(start).includes('/'))
  return { type: 'images', folder, path: true, ...(isFlat ? { labels: 'none' } : {}) }
}

/** Parameters that a kind of source cannot do without come from the first bytes. */
function sourceOfKind(kind: string, files: string, head: Uint8Array, name: string): unknown {
  if (kind === 'csv') {
    const fieldDelim = /\.tsv(\.|$)/i.test(name) ? '\t' : ','
    const row = firstRow(unpackedHead(head), fieldDelim)
    // Numbers are values, not names.
    const header = !row.some((cell) => cell.trim() !== '' && Number.isFinite(Number(cell)))
    const names = header ? row : row.map((_, column) => `column${column}`)
    // As texts, the cells show what the file holds.
    const columns = names.map((column) => ({ name: column, dtype: 'string', default: '' }))
    return { type: kind, files, columns, header, ...(fieldDelim === ',' ? {} : { fieldDelim }) }
  }
  // Without a declaration of its features a line of JSON is shown as the text it is.
  if (kind === ('jsonLines' satisfies FileKind)) return { type: 'textLines', files }
  return { type: kind, files }
}

/** Cells of the first row of a table. */
function firstRow(head: Uint8Array, delimiter: string): string[] {
  const [row = ''] = new TextDecoder().decode(head).split(/\r?\n|\r/, 1)
  const cell = new RegExp(`(?:^|\\${delimiter})(?:"((?:[^"]|"")*)"|([^${delimiter}]*))`, 'g')
  return [...row.matchAll(cell)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain)
}

async function findFiles(pattern: string, store: ObjectStore): Promise<{ files: string; first: ObjectStat }> {
  const folder = pattern.replace(/\/+$/, '')
  const asked = pattern.endsWith('/') ? [] : await store.list(pattern).catch(noneWhereNoMatch)
  const [file] = asked
  if (file) return { files: pattern, first: file }
  const [inside] = await store.walk(folder)
  if (!inside) throw NoMatch(pattern)
  // The folder's own name is no pattern.
  return { files: `${folder.replace(/[*?[{]/g, '[$&]')}/**`, first: inside }
}

function noneWhereNoMatch(error: unknown): ObjectStat[] {
  if (NoMatch.is(error)) return []
  throw error
}

async function headOf({ uri, size, etag }: ObjectStat, store: ObjectStore): Promise<Uint8Array> {
  return store.read(uri, { offset: 0, length: Math.min(size, HEAD_BYTES) }, { etag })
}
