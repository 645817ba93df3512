import { ApiUnreachable } from '../error-table.js'
import { errorOf } from './problem.js'

export interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>

/** Sends requests to one api. @throws ApiUnreachable, or the error that the api answered with. */
export function createSender(base: string): Send {
  const root = base.replace(/\/+$/, '')
  return async (method, path, { body, headers, signal } = {}) => {
    const response = await fetch(root + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw ApiUnreachable(root, reasonOf(error)).with({ cause: error })
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }
}

/** fetch says "fetch failed" and hides why in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return error.message
}
