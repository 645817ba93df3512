import { startCoordinator } from '@stoker/coordinator'
import { listenWake } from '@stoker/queue'
import { toStokerError } from '@stoker/spec'
import { createApp } from './app.js'
import type { ApiConfig } from './config.js'
import { createContext } from './context.js'
import { AddressTaken } from './error-table.js'
import type { Logger } from './logger.js'

export interface RunningApi {
  /** Where it listens. */
  readonly url: string
  readonly log: Logger
  /** Ends event streams and waits, answers what was asked, gives the coordinator's leases back. Safe to call twice. */
  close(): Promise<void>
}

/** Before any schema is shown; the kernels are not loaded where there is nothing to load. */
async function loadUserOps({ ops }: ApiConfig) {
  if (ops.length === 0) return []
  const { loadOps } = await import('@stoker/ops')
  return loadOps(ops)
}

/** @throws AddressTaken, and what `loadOps` and `createContext` throw */
export async function startApi(config: ApiConfig): Promise<RunningApi> {
  const loaded = await loadUserOps(config)
  const context = await createContext(config)
  for (const op of loaded) context.log.info(op, 'op loaded')
  const { log, jobs, buffer, tasks, blocking } = context
  const app = await createApp(context)
  let url: string
  try {
    url = await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    await context.close()
    throw AddressTaken(config.host, config.port, toStokerError(error).message).with({ cause: error })
  }
  const coordinator = startCoordinator({
    ...{ jobs, buffer, tasks },
    listen: (listener) => listenWake(blocking, listener),
    onError: (job, error) => log.warn({ job, err: toStokerError(error).toJSON() }, 'coordinator'),
  })
  log.info({ url, pid: process.pid }, 'ready')
  let closing: Promise<void> | undefined
  const close = async () => {
    await app.close()
    await coordinator.close()
    await context.close()
  }
  return {
    ...{ url, log },
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
