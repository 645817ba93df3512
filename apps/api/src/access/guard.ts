import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { ApiKey } from '@stoker/settings'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, RouteContext } from '../app-type.js'
import type { Context } from '../context.js'
import { HostForeign, KeyMissing, KeyUnknown, ScopeMissing, TooManyRequests } from '../error-table.js'
import { answerProblem } from '../http/problem.js'
import { type Access, ANYBODY, may, toCaller } from './caller.js'
import { KeyRing } from './key-ring.js'
import { isLoopback } from './loopback.js'
import { createSessions } from './sessions.js'

/** Requests a minute and address without a key that is known: enough for the page and for probes. */
const STRANGERS_PER_MINUTE = 600
const MINUTE_MS = 60_000

/**
 * Lets every request say who it is, counts it, and then refuses what its caller may not do, before any body is read. A
 * route that says nothing of its access, and an address that is no route, are for `admin`, or any key.
 */
export async function guardRequests(app: App, { config, redis }: Context): Promise<RouteContext['guard']> {
  const ring = new KeyRing(config.keys)
  const sessions = createSessions(redis, ring)
  app.decorateRequest('caller', undefined)
  await app.register(rateLimit, { global: false })
  const perCaller = config.requestsPerMinute
  const counted = app.createRateLimit({
    max: ({ caller }) => (caller ? perCaller : Math.min(perCaller, STRANGERS_PER_MINUTE)),
    timeWindow: MINUTE_MS,
    keyGenerator: ({ caller, ip }) => (caller && !ring.isEmpty ? `key ${caller.name}` : `address ${normalizeIP(ip)}`),
  })

  async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (perCaller === 0) return
    const now = await counted(request)
    if (now.isAllowed || !now.isExceeded) return
    reply.header('retry-after', now.ttlInSeconds)
    throw TooManyRequests(now.max)
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (ring.isEmpty) {
      request.caller = ANYBODY
      // A page of another site may give its name this machine's address; the browser still sends that name.
      if (!isLoopback(request.hostname)) throw HostForeign(request.hostname)
      return count(request, reply)
    }
    const { authorization } = request.headers
    const known = authorization === undefined ? await sessions.find(request) : keyIn(authorization, ring)
    if (known) request.caller = toCaller(known)
    await count(request, reply)
    const access: Access = request.is404 ? 'any key' : (request.routeOptions.config.access ?? 'admin')
    if (access === 'open') return
    if (!request.caller) {
      reply.header('www-authenticate', 'Bearer realm="stoker"')
      throw authorization === undefined ? KeyMissing() : KeyUnknown()
    }
    if (!may(request.caller, access)) throw ScopeMissing(request.caller.name, access)
  }

  // Answered here: plugins of others turn what is thrown into answers of their own.
  app.addHook('onRequest', async (request, reply) => {
    try {
      await admit(request, reply)
    } catch (error) {
      return answerProblem(error, request, reply, config.bodyLimitBytes)
    }
  })
  return { ring, sessions }
}

/** The key of `Authorization: Bearer KEY`, if it is one that is known. */
export function keyIn(authorization: string | undefined, ring: KeyRing): ApiKey | undefined {
  const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  return key === undefined ? undefined : ring.find(key)
}
