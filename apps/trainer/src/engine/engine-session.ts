import type { MessagePort } from 'node:worker_threads'
import type { Engine, TrainingModel } from '@stoker/engine'
import { childId } from '@stoker/jobs'
import { toStokerError } from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'
import type { Logger } from '../logger.js'
import type { Files, FromEngine, SessionOutcome, SessionStart, StopReason, ToEngine } from '../protocol.js'
import type { TrainingState } from '../training-state.js'
import { BatchSource } from './batch-source.js'
import { openModel } from './open-model.js'
import { Saver } from './saver.js'
import { Training } from './training.js'

/** Runs one job on the engine, to its end or until the other thread says stop. Never throws: the outcome is told. */
export async function runEngineSession(
  { engine, store, log }: { readonly engine: Engine; readonly store: ObjectStore; readonly log: Logger },
  start: SessionStart,
  port: MessagePort,
): Promise<void> {
  const stop = new AbortController()
  let reason: StopReason | undefined
  const post = (message: FromEngine, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const saver = new Saver(post, start.resume?.state)
  const batches = new BatchSource({ train: start.job, validation: childId(start.job) }, stop.signal)
  port.on('message', (message: ToEngine) => {
    if (message.type === 'ring') batches.attach(message.ring)
    else if (message.type === 'saved') saver.saved(message.id)
    else if (message.type === 'best') onBest(message.files)
    else {
      // A dropped session needs no checkpoint, whatever was asked before.
      if (reason !== 'dropped') reason = message.reason
      stop.abort()
      if (reason === 'dropped') saver.abandon()
    }
  })

  let onBest = (_files: Files) => {}
  const bestFiles = (): Promise<Files> =>
    new Promise((resolve, reject) => {
      onBest = resolve
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true })
      post({ type: 'readBest' })
    })

  /** The model of the best epoch, where the job wants that one. */
  const restoreBest = async (model: TrainingModel, { watch, epochs }: TrainingState): Promise<void> => {
    if (!start.train.earlyStopping?.restoreBest) return
    if (watch.best === null || watch.best.epoch === epochs.length - 1) return
    await model.restore(await bestFiles())
  }

  const train = async (model: TrainingModel): Promise<SessionOutcome> => {
    const training = new Training({ start, model, batches, saver, post, stop: stop.signal })
    try {
      stop.signal.throwIfAborted()
      await training.run()
      await saver.settled()
      stop.signal.throwIfAborted()
      await restoreBest(model, training.state)
      await saver.model(model, training.state, start.train.export)
      stop.signal.throwIfAborted()
      return { how: 'done', state: training.state }
    } catch (error) {
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error
      if (reason === 'drain') {
        await saver.checkpoint(model, training.state)
        await saver.settled()
      }
      return { how: 'stopped' }
    }
  }
  try {
    const model = await openModel(engine, store, start)
    const outcome = await train(model).finally(() => model.dispose())
    post({ type: 'ended', outcome })
  } catch (error) {
    log.error({ job: start.job, err: error }, 'session failed')
    post({ type: 'ended', outcome: { how: 'failed', error: toStokerError(error).toJSON() } })
  }
}
