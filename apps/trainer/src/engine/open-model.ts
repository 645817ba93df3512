import type { Engine, TrainingModel } from '@stoker/engine'
import type { ObjectStore } from '@stoker/storage'
import type { SessionStart } from '../protocol.js'

/** The job's model, as the checkpoint has it where there is one. */
export async function openModel(engine: Engine, store: ObjectStore, start: SessionStart): Promise<TrainingModel> {
  const { fields, deferred } = start.plan.wire
  const { train, seed } = start
  const model = await engine.createModel(
    train,
    { store, seed, isResumed: start.resume !== undefined },
    fields,
    deferred,
  )
  try {
    if (start.resume) await model.restore(start.resume.files)
    return model
  } catch (error) {
    model.dispose()
    throw error
  }
}
