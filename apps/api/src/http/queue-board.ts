import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import { toStokerError } from '@stoker/spec'
import { withAccess } from '../access/with-access.js'
import type { App } from '../app-type.js'
import type { Context } from '../context.js'
import { toProblem } from './problem.js'

const PREFIX = '/queues'

/** Bull Board, to look only, for `admin`: the coordinator adds what is missing by itself, and takes back what is not needed. */
export async function serveQueueBoard(app: App, { tasks, log }: Context): Promise<void> {
  const serverAdapter = new FastifyAdapter().setBasePath(PREFIX)
  createBullBoard({
    queues: Object.values(tasks.queues).map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Stoker queues' } },
  })
  serverAdapter.setErrorHandler((error) => {
    const known = toStokerError(error)
    log.error({ err: known, cause: known.cause }, 'queue board')
    return { status: known.status as 500, body: { ...toProblem(known, 'of the queue board') } }
  })
  await withAccess(app, 'admin', async (admin) => admin.register(serverAdapter.registerPlugin(), { prefix: PREFIX }))
}
