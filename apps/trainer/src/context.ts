import { createStore } from '@stoker/storage'
import type { TrainerConfig } from './config.js'
import { createLogger } from './logger.js'

/** Clients of the engine thread; those of the I/O thread are in io/context.ts. */
export function createContext(config: TrainerConfig) {
  return {
    config,
    log: createLogger(config.logLevel, 'engine'),
    /** A model may lie in the store; nothing else is read on this thread. */
    store: createStore(config.storage),
  }
}
export type TrainerContext = ReturnType<typeof createContext>
