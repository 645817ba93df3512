import type { StokerError } from '@stoker/spec'
import type { ObjectStat } from '@stoker/storage'
import type { FormatContext } from '../types.js'
import type { Located, RecordScanner } from './scanner.js'

const KIB = 1024
const FIRST_WINDOW = 256 * KIB
const LARGEST_WINDOW = 4096 * KIB
/** Bytes that the scanner can do without are jumped over from here on: a new request costs less than they do. */
const SKIP_ABOVE = 1024 * KIB
const HEADER_WINDOW = 4 * KIB

/** Records of an uncompressed object, or of the inflated copy of one, found in large ranges read one after the other. */
export async function scanObject(
  data: ObjectStat,
  scanner: RecordScanner,
  context: FormatContext,
  cut?: StokerError,
): Promise<Located> {
  const options = { etag: data.etag, ...(context.signal ? { signal: context.signal } : {}) }
  let window = FIRST_WINDOW
  let end = 0
  while (scanner.wanted < data.size) {
    const offset = scanner.wanted
    const isSparse = end > 0 && offset - end > SKIP_ABOVE
    if (isSparse) window = HEADER_WINDOW
    const length = Math.min(window, data.size - offset)
    scanner.push(await context.store.read(data.uri, { offset, length }, options), offset)
    end = offset + length
    window = Math.min(LARGEST_WINDOW, Math.max(window, FIRST_WINDOW) * 2)
  }
  return scanner.finish(data.size, cut)
}
