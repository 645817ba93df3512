import type { Source } from '@stoker/spec'
import { createByteFormat } from './byte-format/create.js'
import { LineScanner } from './lines/scanner.js'
import { isPlainText } from './lines/text.js'
import type { Format } from './types.js'

export type TextLinesSource = Extract<Source, { type: 'textLines' }>

const CR = 13

/**
 * Lines as `tf.data.TextLineDataset`: the field `line`, bytes as they are without any CR and without the LF. Empty lines
 * are records; a BOM stays; CRs alone after the last LF are no line.
 * Source: tensorflow/core/lib/io/inputbuffer.cc, buffered_inputstream.cc (`ReadLine`).
 */
export const textLines: Format<TextLinesSource> = createByteFormat<TextLinesSource>({
  name: 'textLines',
  frameBytes: 0,
  isPlain: isPlainText,
  scanner: (_, { shard }) => new LineScanner(shard, { isBlank: (byte) => byte === CR, skips: 'blank tail' }),
  decoder: () => (line) => ({ line: { dtype: 'string', shape: [], data: withoutCr(line) } }),
})

function withoutCr(line: Uint8Array): Uint8Array {
  const first = line.indexOf(CR)
  if (first < 0) return line
  if (first === line.length - 1) return line.subarray(0, first)
  return line.filter((byte) => byte !== CR)
}
