import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Guard } from './access/guard.js'
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
export type RouteContext = Context & { readonly waits: OpenWaits; readonly guard: Guard }
