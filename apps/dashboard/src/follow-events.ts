import { EventSourceParserStream } from 'eventsource-parser/stream'
import { RequestFailed, request } from './client.js'

export interface ServerEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

export interface EventListener {
  onOpen(): void
  onEvent(event: ServerEvent): void
  /** The connection was lost; whether to connect again. */
  onLost(): boolean
}

const RETRY_MS = 2_000

/**
 * Follows server-sent events as EventSource does, which can send no key: connects again by itself, and goes on after the
 * last event. Ends with the stream's last event or with the signal.
 * @throws RequestFailed when the server refuses
 */
export async function followEvents(path: string, listener: EventListener, signal: AbortSignal): Promise<void> {
  let lastId = ''
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) }
      const response = await request(path, { headers, signal })
      if (response.status === 204 || !response.body) return
      listener.onOpen()
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      const reader = events.getReader()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const { id, event: type = 'message', data } = next.value
        lastId = id ?? lastId
        listener.onEvent({ id: lastId, type, data })
      }
    } catch (error) {
      if (signal.aborted) return
      // What is no answer of the server is a lost line.
      if (error instanceof RequestFailed && !error.mayPass) throw error
    }
    if (!listener.onLost()) return
    await new Promise((done) => setTimeout(done, RETRY_MS))
  }
}
