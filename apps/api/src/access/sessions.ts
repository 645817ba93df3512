import { randomBytes } from 'node:crypto'
import { keys, withRedisErrors } from '@stoker/queue'
import { type ApiKey, sha256 } from '@stoker/settings'
import type { FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { type KeyRing, printOf } from './key-ring.js'

/*
 * The queue board and the API page are opened by address, and browsers send no key with that. A page that has a key asks
 * for a session: a cookie of random bytes, which no script can read, no other site can make a browser send, and which
 * opens these pages only, to look. Redis holds the hash of the bytes and the print of the key, so that every replica
 * knows the session, and that it ends with the key.
 */
const COOKIE = 'stoker_session'
const LASTS_SECONDS = 3600
const PAGES = /^\/(queues|docs)(\/|$)/

export interface Sessions {
  /** Opens one for the key. Returns the value of Set-Cookie. */
  open(key: ApiKey, isSecure: boolean): Promise<string>
  /** The key that opened the session of this request, where the request is one that a session may make. */
  find(request: FastifyRequest): Promise<ApiKey | undefined>
  /** Ends the session of this request, if it has one. Returns the value of Set-Cookie. */
  end(request: FastifyRequest, isSecure: boolean): Promise<string>
}

export function createSessions(redis: Redis, ring: KeyRing): Sessions {
  return withRedisErrors<Sessions>(redis, {
    open: async (key, isSecure) => {
      const token = randomBytes(32).toString('base64url')
      await redis.set(placeOf(token), printOf(key), 'EX', LASTS_SECONDS)
      return cookie(token, LASTS_SECONDS, isSecure)
    },
    find: async (request) => {
      const [path = ''] = request.url.split('?')
      const isLook = request.method === 'GET' || request.method === 'HEAD'
      const token = tokenOf(request)
      if (!isLook || !PAGES.test(path) || token === undefined) return undefined
      const print = await redis.get(placeOf(token))
      return print === null ? undefined : ring.findPrint(print)
    },
    end: async (request, isSecure) => {
      const token = tokenOf(request)
      if (token !== undefined) await redis.del(placeOf(token))
      return cookie('', 0, isSecure)
    },
  })
}

const placeOf = (token: string): string => keys.session(Buffer.from(sha256(token)).toString('hex'))

const tokenOf = ({ headers }: FastifyRequest): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '')?.[1]

const cookie = (token: string, seconds: number, isSecure: boolean): string =>
  `${COOKIE}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
