import type { ObjectStore } from '@stoker/storage'
import { VocabularyRefused } from './error-table.js'

const MOST_BYTES = 16 * 2 ** 20

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/**
 * A document (job or pipeline) with the words of each `lookup`'s `vocabularyFile` put in as its `vocabulary`. So the words
 * that a job was submitted with are part of its spec and of its hash: what happens to the file later changes nothing.
 *
 * A word is a line without its end (LF or CRLF), as `tf.lookup.TextFileInitializer` with the line number as id.
 *
 * @throws VocabularyRefused with the path in the document; what the store throws for a file that it does not give
 */
export async function withVocabularies(document: unknown, store: ObjectStore, path = ''): Promise<unknown> {
  if (Array.isArray(document)) {
    return Promise.all(document.map((one, at) => withVocabularies(one, store, `${path}[${at}]`)))
  }
  if (!isObject(document)) return document
  const { op, vocabularyFile } = document
  if (op === 'lookup' && typeof vocabularyFile === 'string') {
    return { ...document, vocabulary: await readWords(vocabularyFile, store, `${path}.vocabularyFile`) }
  }
  const entries = Object.entries(document).map(async ([name, value]) => {
    return [name, await withVocabularies(value, store, path === '' ? name : `${path}.${name}`)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function readWords(uri: string, store: ObjectStore, path: string): Promise<string[]> {
  const refused = (text: string) => VocabularyRefused(uri, text).with({ place: { path } })
  const { size, etag } = await store.stat(uri)
  if (size > MOST_BYTES) throw refused(`has ${size} bytes, the most are ${MOST_BYTES}`)
  const bytes = await store.readAll(uri, { etag })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused('is no UTF-8 text')
  }
  if (text === '') throw refused('is empty')
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}
