import { setTimeout as pause } from 'node:timers/promises'
import { ApiUnreachable } from '../error-table.js'
import { errorOf } from './problem.js'

export interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>

export interface SenderOptions {
  /** API key, where the api asks for one. */
  readonly key?: string | undefined
}

/** How often a request that came too soon is sent again, after the time that the api names. */
const MOST_RETRIES = 5
const MOST_WAIT_SECONDS = 90

/**
 * Sends requests to one api; one that the api's rate limit refuses waits and is sent again.
 * @throws ApiUnreachable, or the error that the api answered with
 */
export function createSender(base: string, { key }: SenderOptions = {}): Send {
  const root = base.replace(/\/+$/, '')
  const once = (method: string, path: string, { body, headers, signal }: RequestOptions): Promise<Response> =>
    fetch(root + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw ApiUnreachable(root, reasonOf(error)).with({ cause: error })
    })
  return async (method, path, options = {}) => {
    for (let retry = 1; ; retry++) {
      const response = await once(method, path, options)
      if (response.ok) return response
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      const mayPass = response.status === 429 && seconds <= MOST_WAIT_SECONDS && retry <= MOST_RETRIES
      if (!mayPass) throw await errorOf(response)
      await response.body?.cancel()
      await pause(seconds * 1000, undefined, options.signal ? { signal: options.signal } : {})
    }
  }
}

/** fetch says "fetch failed" and hides why in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return error.message
}
