import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { guardRequests } from './access/guard.js'
import { tellAccess } from './access/tell-access.js'
import type { App } from './app-type.js'
import type { Context } from './context.js'
import { serveDashboard } from './http/dashboard.js'
import { readJsonBodies } from './http/json-body.js'
import { OpenWaits } from './http/open-waits.js'
import { describeApi, serveDocs } from './http/openapi.js'
import { answerProblem, answerProblems } from './http/problem.js'
import { serveQueueBoard } from './http/queue-board.js'
import { logRequests } from './http/request-log.js'
import { setSecurityHeaders } from './http/security.js'
import { closeSilentConnections } from './http/silent-connections.js'
import { checkRequests } from './http/validation.js'
import { ROUTES } from './routes/index.js'

/** Builds the HTTP app; it does not listen. Closing it ends event streams and waits, and leaves the context open. */
export async function createApp(context: Context): Promise<App> {
  const { tls } = context.config
  const app = Fastify({
    ...(tls ? { https: { cert: tls.certificate, key: tls.privateKey } } : {}),
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: context.config.bodyLimitBytes,
    // Slow senders; slow answers are bounded by each route.
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => answerProblem(error, request, reply, context.config.bodyLimitBytes),
  }).withTypeProvider<TypeBoxTypeProvider>() as App
  const waits = new OpenWaits()
  app.addHook('preClose', async () => waits.end())
  // A kept connection would hold up the end until its time is over.
  app.addHook('onSend', async (_request, reply) => {
    if (waits.isEnded) reply.header('connection', 'close')
  })

  closeSilentConnections(app)
  logRequests(app)
  answerProblems(app, context)
  setSecurityHeaders(app)
  const guard = await guardRequests(app, context)
  readJsonBodies(app)
  checkRequests(app)
  tellAccess(app)
  await describeApi(app)
  for (const route of ROUTES) route(app, { ...context, waits, guard })
  await serveDocs(app)
  await serveQueueBoard(app, context)
  await serveDashboard(app)
  await app.ready()
  return app
}
