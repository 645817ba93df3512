import type { Finding, ResumeToken } from '@stoker/spec'
import { readEvents, type StreamedEvent } from './events.js'
import { createSender, type SenderOptions } from './http.js'
import type { BadRecord, JobView, Submitted } from './job-view.js'

export interface Position {
  readonly epoch: number
  readonly batch: number
}

/** `later`: not made yet. `end`: there is no such batch, and none after it. */
export type Taken =
  | { readonly kind: 'batch'; readonly bytes: Uint8Array; readonly next: ResumeToken }
  | { readonly kind: 'later' }
  | { readonly kind: 'end' }

export type BatchFormat = 'safetensors' | 'json' | 'png'

/** The HTTP api as functions. Every one may throw ApiUnreachable or the error that the api answered with. */
export interface StokerClient {
  readonly url: string
  submit(job: unknown, options?: { readonly idempotencyKey?: string }): Promise<Submitted>
  lint(job: unknown): Promise<readonly Finding[]>
  job(id: string): Promise<JobView>
  jobs(limit?: number): Promise<readonly JobView[]>
  /** Records that batches were made without, in the order of shards and records. */
  badRecords(id: string): Promise<readonly BadRecord[]>
  control(id: string, action: 'cancel' | 'pause' | 'resume'): Promise<JobView>
  events(
    id: string,
    options?: { readonly after?: string; readonly signal?: AbortSignal },
  ): AsyncGenerator<StreamedEvent>
  /** The bytes that a consumer would get, without consuming them. */
  batch(id: string, at: Position, format?: BatchFormat): Promise<Uint8Array>
  /** Consumes: everything before `at` counts as done; waits up to `waitMs` for the batch at `at`. */
  take(id: string, at: Position, options: { readonly waitMs: number; readonly signal?: AbortSignal }): Promise<Taken>
}

export function createClient(url: string, options: SenderOptions = {}): StokerClient {
  const send = createSender(url, options)
  const of = (id: string) => `/v1/jobs/${encodeURIComponent(id)}`
  const json = async <T>(response: Promise<Response>): Promise<T> => (await (await response).json()) as T
  return {
    url: url.replace(/\/+$/, ''),
    submit: (body, { idempotencyKey } = {}) =>
      json(
        send('POST', '/v1/jobs', {
          body,
          ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
        }),
      ),
    lint: async (body) => (await json<{ findings: Finding[] }>(send('POST', '/v1/lint', { body }))).findings,
    job: (id) => json(send('GET', of(id))),
    jobs: async (limit = 50) => (await json<{ jobs: JobView[] }>(send('GET', `/v1/jobs?limit=${limit}`))).jobs,
    badRecords: async (id) =>
      (await json<{ badRecords: BadRecord[] }>(send('GET', `${of(id)}/bad-records?limit=100000`))).badRecords,
    control: (id, action) => json(send('POST', `${of(id)}/${action}`)),
    events: (id, options) => readEvents(send, id, options),
    batch: async (id, { epoch, batch }, format = 'safetensors') => {
      const response = await send('GET', `${of(id)}/batches/${epoch}/${batch}?format=${format}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    take: async (id, at, { waitMs, signal }) => {
      const response = await send('POST', `${of(id)}/take`, { body: { ...at, waitMs }, signal })
      if (response.status === 204) return { kind: 'later' }
      const token = response.headers.get('stoker-token')
      if (token === null) return { kind: 'end' }
      return { kind: 'batch', bytes: new Uint8Array(await response.arrayBuffer()), next: JSON.parse(token) }
    },
  }
}
