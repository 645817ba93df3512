import { toStokerError } from '@stoker/spec'
import type { Located } from '../byte-format/scanner.js'
import type { FormatContext, FormatLimits, ShardPin } from '../types.js'
import { FRAME_BYTES } from './frame.js'

/**
 * Where frames lie, from an index that lies beside an uncompressed shard, in the format of DALI's `tfrecord2idx`: one line
 * `<offset> <bytes>` a record, bytes being those of the whole frame. Looked for as `x.tfrecord.idx` and as `x.idx`.
 * Undefined where there is none, or where it does not cover the shard exactly: then the shard itself is scanned.
 */
export async function sidecarSpans(
  pin: ShardPin,
  context: FormatContext,
  limits: FormatLimits,
): Promise<Located | undefined> {
  for (const uri of [`${pin.uri}.idx`, pin.uri.replace(/\.[^./]+$/, '.idx')]) {
    const text = await readIfThere(uri, context)
    const lengths = text === undefined ? undefined : parseSidecar(text, pin.size, limits.maxRecordBytes)
    if (lengths) return { lengths, offsets: offsetsOf(lengths) }
  }
  return undefined
}

function offsetsOf(lengths: Uint32Array): Float64Array {
  const offsets = new Float64Array(lengths.length)
  let at = 0
  for (const [record, length] of lengths.entries()) {
    offsets[record] = at
    at += FRAME_BYTES + length
  }
  return offsets
}

/** Payload lengths. @returns undefined unless the frames follow each other without a gap from the first byte to the last. */
export function parseSidecar(text: string, shardBytes: number, maxRecordBytes: number): Uint32Array | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const lengths = new Uint32Array(lines.length)
  let at = 0
  for (const [record, line] of lines.entries()) {
    const match = /^\s*(\d+)\s+(\d+)\s*$/.exec(line)
    const length = Number(match?.[2]) - FRAME_BYTES
    if (Number(match?.[1]) !== at || !(length >= 0 && length <= maxRecordBytes)) return undefined
    lengths[record] = length
    at += FRAME_BYTES + length
  }
  return at === shardBytes ? lengths : undefined
}

/** A store that hides what is missing behind "forbidden" has no sidecar either; a fault that may pass is a fault. */
async function readIfThere(uri: string, { store, signal }: FormatContext): Promise<string | undefined> {
  try {
    return Buffer.from(await store.readAll(uri, signal ? { signal } : {})).toString('latin1')
  } catch (error) {
    const known = toStokerError(error)
    if (signal?.aborted || known.retryable || known.code === 'STK_UNEXPECTED') throw error
    return undefined
  }
}
