import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'

// Proxies close a silent connection, most after 30 to 60 s.
const HEARTBEAT_MS = 15_000
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000

export interface ServerEvent {
  /** What a client sends back as Last-Event-ID; none for events that must not move it. */
  readonly id?: string
  readonly type: string
  readonly data: unknown
  /** `data` is JSON text already. */
  readonly isJson?: boolean
}

/** One answer of type text/event-stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #stream: PassThrough
  readonly #signal: AbortSignal
  readonly #heartbeat: NodeJS.Timeout

  private constructor(stream: PassThrough, signal: AbortSignal) {
    this.#stream = stream
    this.#signal = signal
    this.#heartbeat = setInterval(() => {
      if (!stream.writableNeedDrain) stream.write(': still here\n\n')
    }, HEARTBEAT_MS)
  }

  /** Sends the headers at once. The signal ends all waiting for a slow client. */
  static open(reply: FastifyReply, signal: AbortSignal): EventStream {
    const stream = new PassThrough()
    stream.on('error', () => {}) // the client left: its signal tells
    stream.write(`retry: ${RETRY_MS}\n\n`)
    reply
      .code(200)
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        // The stream ends with the job or the server: nothing else comes on this connection.
        connection: 'close',
      })
      .send(stream)
    return new EventStream(stream, signal)
  }

  /** Waits while the client is behind. @throws AbortError when it has left */
  async send({ id, type, data, isJson = false }: ServerEvent): Promise<void> {
    this.#signal.throwIfAborted()
    // JSON text holds no line break, so one data line carries it.
    const json = isJson ? String(data) : JSON.stringify(data)
    const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${type.replace(/[\r\n]/g, ' ')}\ndata: ${json}\n\n`
    if (!this.#stream.write(text)) await once(this.#stream, 'drain', { signal: this.#signal })
  }

  async end(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#stream.end()
  }
}
