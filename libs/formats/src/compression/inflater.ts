import { createGunzip, createInflate } from 'node:zlib'
import type { Packing } from './sniff.js'

/** The stream holds something else than its format allows. */
export class StreamBroken extends Error {}
/** The stream ends before its end marker. */
export class StreamCut extends Error {}

/** Undoes one compression, piece by piece. Equal pieces give equal outputs: a copy does not depend on the network. */
export interface Inflater {
  /** All bytes that this piece lets out. @throws StreamBroken */
  push(piece: Uint8Array, onBytes: (bytes: Uint8Array) => void): Promise<void>
  /** @throws StreamCut when the stream is not at its end. */
  end(): Promise<void>
  close(): Promise<void>
}

const OUTPUT_BYTES = 64 * 1024

/**
 * GZIP of any number of members, or ZLIB. After the last member the engine takes no more input; what follows must be
 * zeros (gzip and tar pad with them), because anything else may be a damaged further member.
 */
export function createZlibInflater(packing: Exclude<Packing, 'ZSTD'>): Inflater {
  const engine =
    packing === 'GZIP' ? createGunzip({ chunkSize: OUTPUT_BYTES }) : createInflate({ chunkSize: OUTPUT_BYTES })
  let pushed = 0
  let isOver = false
  let isStarted = false
  let emit: (bytes: Uint8Array) => void = () => undefined
  // In flowing mode bytes come out within the call that made them, so none are lost when a later call fails.
  engine.on('data', (bytes: Uint8Array) => emit(bytes))
  const failed = new Promise<never>((_, reject) => engine.once('error', reject))
  failed.catch(() => undefined)
  const ended = new Promise<void>((resolve) => engine.once('end', resolve))
  const closed = new Promise<void>((resolve) => engine.once('close', resolve))

  const explain = (error: unknown): unknown => {
    const { code, message } = error as { code?: string; message: string }
    if (code === 'Z_BUF_ERROR') return new StreamCut(message)
    return code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT' ? new StreamBroken(message, { cause: error }) : error
  }

  return {
    async push(piece, onBytes) {
      emit = onBytes
      pushed += piece.length
      isStarted ||= piece.length > 0
      if (!isOver) {
        const written = new Promise<void>((resolve) => engine.write(piece, () => resolve()))
        try {
          await Promise.race([written, ended, failed])
        } catch (error) {
          throw explain(error)
        }
      }
      const unread = Math.min(piece.length, pushed - engine.bytesWritten)
      isOver ||= unread > 0
      if (isOver && piece.subarray(piece.length - unread).some((byte) => byte !== 0)) {
        throw new StreamBroken('there are further bytes after its end')
      }
    },
    async end() {
      if (isOver || !isStarted) return
      engine.end()
      try {
        await Promise.race([ended, failed])
      } catch (error) {
        throw explain(error)
      }
    },
    async close() {
      engine.destroy()
      await closed
    },
  }
}
