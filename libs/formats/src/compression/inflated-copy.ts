import { type ErrorView, fromErrorView, type StokerError } from '@stoker/spec'
import { AlreadyExists, ObjectMissing, type ObjectStat } from '@stoker/storage'
import { scanObject } from '../byte-format/scan-object.js'
import type { Located, RecordScanner } from '../byte-format/scanner.js'
import { InflateCorrupt, InflateTruncated } from '../error-table.js'
import { inflatedUri } from '../scratch.js'
import type { FormatContext, FormatLimits, ShardPin } from '../types.js'
import { inflate } from './inflate.js'
import type { Packing } from './sniff.js'

export interface CopyOptions {
  readonly packing: Packing
  readonly limits: FormatLimits
  readonly isPlain: (head: Uint8Array) => boolean
  /** A new scanner over the inflated bytes, whose number is known where a copy is there already. */
  readonly scanner: (totalBytes?: number) => RecordScanner
}

/**
 * The inflated copy of a compressed shard in scratch and its records. It is written once: its name depends on URI and
 * ETag, so a copy that is there is the right one, whoever wrote it. Of a stream that is cut or damaged after some
 * records the copy holds what came out before, and a note beside it, written first, says what is wrong.
 */
export async function inflatedCopy(
  pin: ShardPin,
  options: CopyOptions,
  context: FormatContext,
): Promise<{ data: ObjectStat; located: Located }> {
  const uri = inflatedUri(context.scratch, pin, options.packing)
  const ofTwin = async () => {
    const data = await statIfThere(uri, context)
    if (!data) return undefined
    const cut = await readFault(uri, context)
    return { data, located: await scanObject(data, options.scanner(cut ? undefined : data.size), context, cut) }
  }
  const copy = await ofTwin()
  if (copy) return copy

  const scanner = options.scanner()
  let cut: StokerError | undefined
  const source = context.store.stream(pin.uri, { etag: pin.etag, ...signalOf(context) })
  async function* untilFault(): AsyncGenerator<Uint8Array> {
    let produced = 0
    try {
      for await (const bytes of inflate(source, { ...options, shard: pin.uri, scanner })) {
        produced += bytes.length
        yield bytes
      }
    } catch (error) {
      const isDamaged = InflateCorrupt.is(error) || InflateTruncated.is(error)
      // Without one whole record there is nothing to keep.
      if (!isDamaged || scanner.placeAt(produced).record === 0) throw error
      cut = error
      await writeFault(uri, error, context)
    }
  }
  try {
    // The store shows the copy only when it is whole, so a failure half-way leaves nothing behind.
    const data = await context.store.write(uri, untilFault(), {
      ifAbsent: true,
      contentType: 'application/octet-stream',
      ...signalOf(context),
    })
    return { data, located: scanner.finish(data.size, cut) }
  } catch (error) {
    const twin = AlreadyExists.is(error) ? await ofTwin() : undefined
    if (twin) return twin
    throw error
  }
}

export async function statIfThere(uri: string, context: FormatContext): Promise<ObjectStat | undefined> {
  try {
    return await context.store.stat(uri, signalOf(context))
  } catch (error) {
    if (ObjectMissing.is(error)) return undefined
    throw error
  }
}

const faultUri = (uri: string): string => `${uri}.fault`

async function writeFault(uri: string, fault: StokerError, context: FormatContext): Promise<void> {
  await context.store.write(faultUri(uri), Buffer.from(JSON.stringify(fault)), {
    contentType: 'application/json',
    ...signalOf(context),
  })
}

async function readFault(uri: string, context: FormatContext): Promise<StokerError | undefined> {
  try {
    const bytes = await context.store.readAll(faultUri(uri), signalOf(context))
    return fromErrorView(JSON.parse(Buffer.from(bytes).toString()) as ErrorView)
  } catch (error) {
    if (ObjectMissing.is(error)) return undefined
    throw error
  }
}

const signalOf = (context: FormatContext) => (context.signal ? { signal: context.signal } : {})
