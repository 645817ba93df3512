import { bestMonitor, type MonitorSpec, stoppingMonitor, type Train, valName } from '@stoker/spec'
import type { EpochResult } from './epoch-result.js'
import { MonitorUnknown } from './error-table.js'

/** What is known of the course of a training from its epochs' results: part of a checkpoint. */
export interface Watch {
  /** The best epoch so far, by what `checkpoint.best` watches. */
  readonly best: { readonly epoch: number; readonly value: number } | null
  /** Of early stopping: the best value that counts, and the epochs since. */
  readonly stopping: { readonly best: number | null; readonly wait: number }
  /** The epoch after which early stopping ended the training. */
  readonly stoppedAfter: number | null
}

export const NOTHING_WATCHED: Watch = { best: null, stopping: { best: null, wait: 0 }, stoppedAfter: null }

/** The watch after one more epoch; stopping as keras.callbacks.EarlyStopping. @throws MonitorUnknown */
export function afterEpoch(train: Train, watch: Watch, result: EpochResult): Watch {
  return { ...watch, best: bestAfter(train, watch, result), ...stoppingAfter(train, watch, result) }
}

/** What an epoch tells, by the names that a monitor may have. */
export function toldBy({ loss, metrics, valLoss, valMetrics }: EpochResult): Readonly<Record<string, number>> {
  const held = Object.entries(valMetrics ?? {}).map(([name, value]) => [valName(name), value] as const)
  return { loss, ...metrics, ...(valLoss === null ? {} : { valLoss }), ...Object.fromEntries(held) }
}

function bestAfter(train: Train, { best }: Watch, result: EpochResult): Watch['best'] {
  const spec = bestMonitor(train)
  if (!spec || result.epoch < spec.startFromEpoch) return best
  const value = toldValue(spec, result, best !== null)
  return value !== undefined && isBetter(spec, value, best?.value) ? { epoch: result.epoch, value } : best
}

function stoppingAfter(train: Train, { stopping }: Watch, result: EpochResult): Omit<Watch, 'best'> {
  const spec = stoppingMonitor(train)
  const { epoch } = result
  if (!spec || epoch < spec.startFromEpoch) return { stopping, stoppedAfter: null }
  const value = toldValue(spec, result, stopping.best !== null)
  if (value !== undefined && isBetter(spec, value, stopping.best ?? undefined))
    return { stopping: { best: value, wait: 0 }, stoppedAfter: null }
  const wait = stopping.wait + 1
  const isOver = wait >= (train.earlyStopping?.patience ?? 0) && epoch > 0
  return { stopping: { ...stopping, wait }, stoppedAfter: isOver ? epoch : null }
}

/** Undefined for a value that is not a number, which is never better. */
function toldValue({ monitor }: MonitorSpec, result: EpochResult, wasTold: boolean): number | undefined {
  const told = toldBy(result)
  const value = told[monitor]
  if (value === undefined && !wasTold) throw MonitorUnknown(monitor, Object.keys(told).join(', '))
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

function isBetter({ mode, minDelta }: MonitorSpec, value: number, best: number | undefined): boolean {
  if (best === undefined) return true
  return mode === 'min' ? value + minDelta < best : value - minDelta > best
}
