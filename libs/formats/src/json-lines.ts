import type { Source } from '@stoker/spec'
import { createByteFormat } from './byte-format/create.js'
import { JsonMalformed } from './error-table.js'
import { featureReader } from './json-lines/features.js'
import { JsonNumber, type JsonObject, type JsonValue, parseJson, shownJson } from './json-lines/parse.js'
import { LineScanner } from './lines/scanner.js'
import { bomBytes, isBomByte, isPlainText } from './lines/text.js'
import type { Format } from './types.js'

export type JsonLinesSource = Extract<Source, { type: 'jsonLines' }>

/** Blanks between JSON values (RFC 8259), and a BOM. */
const isBlank = (byte: number, offset: number): boolean =>
  byte === 32 || byte === 9 || byte === 13 || (offset < 3 && isBomByte(byte, offset))

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** JSON objects, one a line (https://jsonlines.org): a field for each declared feature; lines of blanks are skipped. */
export const jsonLines: Format<JsonLinesSource> = createByteFormat<JsonLinesSource>({
  name: 'jsonLines',
  frameBytes: 0,
  isPlain: isPlainText,
  scanner: (_, { shard }) => new LineScanner(shard, { isBlank, skips: 'blank' }),
  decoder: ({ features }) => {
    const readers = Object.entries(features).map(([name, feature]) => [name, featureReader(name, feature)] as const)
    return (bytes, { offset }) => {
      const line = objectOf(offset === 0 ? bytes.subarray(bomBytes(bytes)) : bytes)
      return Object.fromEntries(readers.map(([name, read]) => [name, read(line)]))
    }
  },
})

function objectOf(bytes: Uint8Array): JsonObject {
  const value = parsed(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonNumber)
    throw JsonMalformed(`it holds ${shownJson(value)}`)
  return value as JsonObject
}

function parsed(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(utf8.decode(bytes))
  } catch (error) {
    // RangeError: objects in objects beyond the stack.
    throw JsonMalformed((error as Error).message).with({ cause: error })
  }
}
