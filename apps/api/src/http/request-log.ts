import type { App } from '../app-type.js'

/** One line a request once it is answered; pages and probes ask all the time, so reading is told at debug only. */
export function logRequests(app: App): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, url } = request
    const line = { reqId: request.id, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    const who = request.caller ? { caller: request.caller.name } : {}
    app.log[method === 'GET' ? 'debug' : 'info']({ ...line, ...who }, 'request')
  })
}
