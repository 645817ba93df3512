import { Agent, type Dispatcher } from 'undici'
import { StorageFailed } from '../error-table.js'
import { type OnRetry, RETRIES, type RetryReason, waitBeforeRetry } from '../retry.js'
import { createAddressGuard } from './address-guard.js'
import type { HttpConfig } from './http-config.js'
import { isPassing, networkError, retryReason } from './http-error.js'
import { textOf } from './version.js'

const CONNECT_MS = 5_000
/** Longest silence before an answer and within a body. */
const SILENCE_MS = 60_000
const SOCKETS_PER_HOST = 64
const MOST_REDIRECTS = 5

export type HttpAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

export interface HttpClient {
  /**
   * Asks for an object, going after redirects and asking again after failures that may pass.
   * @returns any answer that is neither a redirect nor a failure that may pass; its body must be read or destroyed
   */
  get(uri: string, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<HttpAnswer>
  close(): Promise<void>
}

export function createHttpClient(config: HttpConfig, onRetry: OnRetry | undefined): HttpClient {
  const guard = createAddressGuard(config)
  const agent = new Agent({
    connections: SOCKETS_PER_HOST,
    connect: { lookup: guard.lookup, timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  })

  async function ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    config.admit?.(url.href)
    guard.check(url)
    return agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'stoker' },
      ...(signal ? { signal } : {}),
    })
  }

  async function follow(uri: string, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    let url = new URL(uri)
    for (let hops = 0; ; hops++) {
      const answer = await ask(url, headers, signal)
      const location = textOf(answer.headers.location)
      if (![301, 302, 303, 307, 308].includes(answer.statusCode) || location === undefined) return answer
      await leaveAnswer(answer)
      if (hops === MOST_REDIRECTS) throw StorageFailed('read', uri, `more than ${MOST_REDIRECTS} redirects`)
      url = redirected(uri, url, location)
    }
  }

  return {
    async get(uri, headers, signal) {
      for (let retry = 1; ; retry++) {
        let reason: RetryReason | undefined
        let askedMs = 0
        try {
          const answer = await follow(uri, headers, signal)
          reason = retryReason(answer.statusCode)
          if (!reason || retry > RETRIES[reason].retries) return answer
          askedMs = Number(textOf(answer.headers['retry-after']) ?? 0) * 1000 || 0
          await leaveAnswer(answer)
        } catch (error) {
          if (signal?.aborted) throw signal.reason
          reason = 'TRANSIENT'
          if (!isPassing(error) || retry > RETRIES[reason].retries) throw networkError(error, uri)
        }
        await waitBeforeRetry(reason, retry, signal, onRetry, askedMs)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Frees the connection of an answer whose body is of no interest: kept for the next request where the body is short. */
export async function leaveAnswer({ body }: HttpAnswer): Promise<void> {
  await body.dump({ limit: 16 * 1024 }).catch(() => undefined)
}

function redirected(uri: string, from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw StorageFailed('read', uri, 'it redirects to what is no address')
  const to = new URL(location, from)
  const isKept = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')
  if (!isKept) throw StorageFailed('read', uri, `it redirects from ${from.protocol} to ${to.protocol}`)
  return to
}
