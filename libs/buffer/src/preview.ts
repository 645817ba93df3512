import { keys, parseEntries, type StreamWatcher } from '@stoker/queue'
import type { ErrorView } from '@stoker/spec'
import { fromErrorView } from '@stoker/spec'
import type { Redis } from 'ioredis'

/** Batches made for somebody who wants to look at one. They never enter the buffer, and expire soon. */
export interface Previews {
  /**
   * The batch from the buffer, else one made for looking at: calls `request` when one must be made and waits for it.
   * Undefined when `waitMs` have passed.
   *
   * @throws the error that kept a worker from making it
   */
  preview(
    job: string,
    epoch: number,
    batch: number,
    options: {
      readonly request: () => Promise<unknown>
      readonly waitMs?: number | undefined
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<Uint8Array | undefined>
  /** Answers a request. */
  putPreview(job: string, epoch: number, batch: number, bytes: Uint8Array): Promise<void>
  failPreview(job: string, epoch: number, batch: number, error: ErrorView): Promise<void>
}

const PREVIEW_MS = 120_000
const MOST_READY_ENTRIES = 1_000

export function createPreviews(
  redis: Redis,
  watcher: StreamWatcher,
  peek: (job: string, epoch: number, batch: number) => Promise<Uint8Array | undefined>,
): Previews {
  const announce = (job: string, fields: readonly (string | number)[]) =>
    redis.xadd(keys.readyStream(job), 'MAXLEN', '~', MOST_READY_ENTRIES, '*', ...fields)

  return {
    preview: async (job, epoch, batch, { request, waitMs, signal }) => {
      const deadline = waitMs === undefined ? undefined : performance.now() + waitMs
      const stream = keys.readyStream(job)
      const stored = () => redis.getBuffer(keys.preview(job, epoch, batch))
      // First where the stream ends, then whether the batch is there, then the request: no answer falls in between.
      let last = parseEntries(await redis.xrevrange(stream, '+', '-', 'COUNT', 1))[0]?.id ?? '0-0'
      const known = (await peek(job, epoch, batch)) ?? (await stored())
      if (known) return known
      await request()
      for (;;) {
        const leftMs = deadline === undefined ? undefined : Math.max(0, deadline - performance.now())
        const entries = await watcher.next(stream, last, { waitMs: leftMs, signal })
        if (entries.length === 0) return undefined
        last = entries.at(-1)?.id ?? last
        for (const { fields } of entries) {
          if (Number(fields.epoch) !== epoch || Number(fields.batch) !== batch) continue
          if (fields.kind === 'previewError') throw fromErrorView(JSON.parse(fields.error ?? '{}') as ErrorView)
          const made = fields.kind === 'preview' ? await stored() : await peek(job, epoch, batch)
          if (made) return made
        }
      }
    },
    putPreview: async (job, epoch, batch, bytes) => {
      const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      await redis.set(keys.preview(job, epoch, batch), value, 'PX', PREVIEW_MS)
      await announce(job, ['kind', 'preview', 'epoch', epoch, 'batch', batch])
    },
    failPreview: async (job, epoch, batch, error) => {
      await announce(job, [
        ...['kind', 'previewError', 'epoch', epoch, 'batch', batch],
        ...['error', JSON.stringify(error)],
      ])
    },
  }
}
