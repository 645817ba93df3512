import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Engine, loadEngine } from '@stoker/engine'
import { fromErrorView, toStokerError } from '@stoker/spec'
import type { TrainerContext } from './context.js'
import { runEngineSession } from './engine/engine-session.js'
import { IoThreadEnded } from './error-table.js'
import type { IoSetup } from './io/context.js'
import type { FromIoThread, ToIoThread } from './protocol.js'

/*
 * A trainer is two threads. This one, the main thread, is the engine's: native TensorFlow wants the main thread, and its
 * calls block it. All that must not be blocked (queue locks, Redis, uploads, health) lives in the I/O thread.
 *
 *   starting --engine loaded, Redis answers--> running --close--> draining --> stopped
 *       |                                         |                   |
 *       +-----------------------------------------+-------------------+--the I/O thread dies--> failed
 */
export type TrainerState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed'

export interface Trainer {
  readonly state: TrainerState
  readonly engine: Engine
  /** Resolves when the trainer has stopped; rejects with IoThreadEnded when it failed. */
  readonly closed: Promise<void>
  /** Saves a checkpoint of the job in hand, hands it back, takes no more. Safe to call twice. */
  close(): Promise<void>
}

/** Loads the engine, connects, and takes training jobs until it is closed. @throws what keeps it from starting */
export async function createTrainer({ config, log, store }: TrainerContext): Promise<Trainer> {
  const engine = await loadEngine()
  log.info({ engine: engine.report }, 'engine loaded')
  const setup: IoSetup = { config, engine: engine.report }
  const io = new Worker(new URL('./io/io-thread.js', import.meta.url), { workerData: setup, name: 'stoker-io' })
  let state: TrainerState = 'starting'
  let fault: unknown
  /** The engine runs one session at a time; the next one waits, should the I/O thread be ahead. */
  let sessions: Promise<void> = Promise.resolve()

  const ended = once(io, 'exit').then(async ([code]) => {
    const isPlanned = state === 'draining' && code === 0 && fault === undefined
    if (isPlanned) await sessions
    state = isPlanned ? 'stopped' : 'failed'
    await store.close()
    if (!isPlanned) throw fault ?? IoThreadEnded(`exit code ${code}`)
  })
  ended.catch(() => {}) // whoever awaits `closed` hears of it
  io.on('error', (error) => {
    fault = toStokerError(error)
  })
  await new Promise<void>((resolve, reject) => {
    io.on('message', (message: FromIoThread) => {
      if (message.type === 'ready') resolve()
      else if (message.type === 'failed') fault = fromErrorView(message.error)
      else if (message.type === 'session') {
        sessions = sessions.then(() => runEngineSession({ engine, store, log }, message.start, message.port))
      }
    })
    ended.catch(reject)
  })
  state = 'running'

  return {
    get state() {
      return state
    },
    engine,
    closed: ended,
    close: () => {
      if (state === 'running') {
        state = 'draining'
        io.postMessage({ type: 'close' } satisfies ToIoThread)
      }
      return ended
    },
  }
}
