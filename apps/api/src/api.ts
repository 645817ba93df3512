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

/** @throws AddressTaken, and what `createContext` throws */
export async function startApi(config: ApiConfig): Promise<RunningApi> {
  const context = await createContext(config)
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
