import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Send } from './http.js'

export interface StreamedEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: unknown
}

/** The job's server-sent events, past ones first; ends when the server ends the stream or `signal` aborts. */
export async function* readEvents(
  send: Send,
  job: string,
  options: { readonly after?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { after, signal } = options
  const response = await send('GET', `/v1/jobs/${encodeURIComponent(job)}/events`, {
    headers: { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal,
  })
  if (!response.body) return
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  try {
    for await (const { id, event, data } of events) yield { id, type: event ?? 'message', data: JSON.parse(data) }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}
