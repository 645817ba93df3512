import { type CheckedField, checkLiterals, KEY_FIELD, type Source, webdatasetFields } from '@stoker/spec'
import { createByteFormat } from './byte-format/create.js'
import type { RecordDecoder } from './byte-format/format.js'
import { SampleDuplicate, SampleJson, SampleMissing, SampleNumber } from './error-table.js'
import { featureReader } from './json-lines/features.js'
import { type JsonObject, parseJson } from './json-lines/parse.js'
import { type ParsedType, parseNumber } from './numbers/parse-number.js'
import { BLOCK, latin1, readHeader } from './tar/header.js'
import { MemberReader } from './tar/members.js'
import { sampleName } from './tar/sample-name.js'
import { SampleScanner } from './tar/scanner.js'
import { type Field, fieldOf } from './tensor.js'
import type { Format } from './types.js'

export type WebdatasetSource = Extract<Source, { type: 'webdataset' }>

/**
 * Samples of tar files as webdataset 1.0.2 groups them: neighbouring files that share their name up to the first dot of
 * its last part. Unlike there a sample with two files of one extension is an error of that sample alone, and a damaged
 * or cut header is an error instead of the end.
 */
export const webdataset: Format<WebdatasetSource> = createByteFormat<WebdatasetSource>({
  name: 'webdataset',
  frameBytes: 0,
  isPlain: (head) => head.length >= BLOCK && readHeader(head.subarray(0, BLOCK)) !== undefined,
  scanner: (_, options) => new SampleScanner(options),
  decoder: sampleDecoder,
})

interface Sample {
  readonly key: string
  readonly files: ReadonlyMap<string, Uint8Array>
}

type FieldReader = (sample: Sample) => Field

function sampleDecoder(source: WebdatasetSource): RecordDecoder {
  const readers = webdatasetFields(source).map(([name, field]) => [name, fieldReader(name, field)] as const)
  return (bytes, { shard, offset }) => {
    const sample = sampleOf(bytes, shard, offset)
    const fields: Record<string, Field> = {}
    if (source.key !== false)
      fields[KEY_FIELD] = { dtype: 'string', shape: [], data: Buffer.from(sample.key, 'latin1') }
    for (const [name, read] of readers) fields[name] = read(sample)
    if (source.fields === 'all')
      for (const [name, data] of sample.files) fields[name] = { dtype: 'string', shape: [], data }
    return fields
  }
}

/** The files of a sample, views of its bytes. */
function sampleOf(bytes: Uint8Array, shard: string, offset: number): Sample {
  const files = new Map<string, Uint8Array>()
  const members = new MemberReader(0)
  let key = ''
  while (members.at < bytes.length) {
    const member = members.take(bytes.subarray(members.at, members.at + members.need))
    // What the scan of the shard found in order is so now: the bytes are pinned.
    if (typeof member === 'string') throw new Error(`sample at byte ${offset} of ${shard}: ${member}`)
    const name = member?.isFile ? sampleName(member.name) : undefined
    if (!member || !name) continue
    if (files.has(name.extension)) throw SampleDuplicate(shown(name.key), name.extension)
    key = name.key
    files.set(name.extension, bytes.subarray(member.dataAt, member.dataAt + member.size))
  }
  return { key, files }
}

const shown = (name: string): string => Buffer.from(name, 'latin1').toString()

function fieldReader(name: string, field: CheckedField): FieldReader {
  const { from, dtype } = field
  const place = { place: { field: name } }
  const literals = checkLiterals(name, dtype, field.shape, field.default)
  const fallback = literals && fieldOf(dtype, literals.shape, literals.elements)
  const parse = parserOf(name, field)
  return ({ key, files }) => {
    const extension = from.find((one) => files.has(one))
    const bytes = extension === undefined ? undefined : files.get(extension)
    if (bytes && extension !== undefined) return parse(bytes, key, extension)
    if (fallback) return fallback
    throw SampleMissing(shown(key), from.join(' or '), [...files.keys()].slice(0, 20).join(', ')).with(place)
  }
}

function parserOf(
  name: string,
  { dtype, shape, path, default: fallback }: CheckedField,
): (bytes: Uint8Array, key: string, extension: string) => Field {
  const place = { place: { field: name } }
  if (path !== undefined) {
    const options = {
      dtype,
      shape: [...shape],
      path: [...path],
      ...(fallback === undefined ? {} : { default: fallback }),
    }
    const read = featureReader(name, options)
    return (bytes, key, extension) => read(jsonOf(bytes, shown(key), extension, name))
  }
  if (dtype === 'string') return (data) => ({ dtype, shape: [], data })
  return (bytes, key, extension) => {
    const text = latin1(bytes.subarray(0, 1000))
    const value = bytes.length > 1000 ? undefined : parseNumber(text, dtype as ParsedType)
    if (value === undefined) {
      throw SampleNumber(shown(key), extension, JSON.stringify(text.slice(0, 60)), dtype).with(place)
    }
    return fieldOf(dtype, [], [value])
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function jsonOf(bytes: Uint8Array, key: string, extension: string, field: string): JsonObject {
  try {
    return parseJson(utf8.decode(bytes)) as JsonObject
  } catch (error) {
    throw SampleJson(key, extension, (error as Error).message).with({ place: { field }, cause: error })
  }
}
