import { SpecInvalid } from '../error-table.js'
import { bestMonitor, stoppingMonitor, valName } from './monitor.js'
import { resultNames } from './outputs.js'
import type { Train } from './schema.js'

/** @throws StokerError for a monitor that no epoch will tell */
export function checkMonitors(train: Train): void {
  const { earlyStopping, checkpoint } = train
  if (earlyStopping?.restoreBest && checkpoint?.best) {
    throw SpecInvalid('train.checkpoint.best', 'earlyStopping.restoreBest names another best epoch').with({
      place: { path: 'train.checkpoint.best' },
      remedy: 'leave one of the two out',
    })
  }
  const told = ['loss', ...resultNames(train)]
  const names = train.validation ? [...told, ...told.map(valName)] : told
  const monitored = [
    ['train.earlyStopping.monitor', stoppingMonitor(train)],
    ['train.checkpoint.best.monitor', bestMonitor(train)],
  ] as const
  for (const [path, spec] of monitored) {
    if (!spec || names.includes(spec.monitor)) continue
    const needsValidation = /^val[A-Z]/.test(spec.monitor) && !train.validation
    // Which metrics a SavedModel tells stands in the model; the trainer looks there.
    if (train.model.kind === 'savedModel' && !needsValidation) continue
    throw SpecInvalid(path, `no epoch tells "${spec.monitor}"`).with({
      place: { path },
      remedy: needsValidation ? 'add train.validation, or watch the training loss' : `told are: ${names.join(', ')}`,
    })
  }
}
