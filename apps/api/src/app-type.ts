import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { KeyRing } from './access/key-ring.js'
import type { Sessions } from './access/sessions.js'
import type { Context } from './context.js'
import type { OpenWaits } from './http/open-waits.js'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What a route gets besides the app. */
export type RouteContext = Context & {
  readonly waits: OpenWaits
  readonly guard: { readonly ring: KeyRing; readonly sessions: Sessions }
}
