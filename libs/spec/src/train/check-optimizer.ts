import { SpecInvalid } from '../error-table.js'
import { COMMON_PARAMS, OPTIMIZER_PARAMS, type OptimizerOptions } from './optimizer.js'
import { SCHEDULE_PARAMS, type Schedule } from './schedule.js'

const invalid = (path: string, text: string, remedy: string) =>
  SpecInvalid(path, text).with({ place: { path }, remedy })

/** @throws StokerError for a parameter that another optimizer or schedule has, or that is missing. */
export function checkOptimizer(options: OptimizerOptions | undefined): void {
  if (!options) return
  const { type, learningRate, ...given } = options
  const known: readonly string[] = [...Object.keys(OPTIMIZER_PARAMS[type]), ...COMMON_PARAMS]
  const foreign = Object.keys(given).find((name) => !known.includes(name))
  if (foreign !== undefined)
    throw invalid(`train.optimizer.${foreign}`, `${type} has no such parameter`, `known here: ${known.join(', ')}`)
  const clips = (['clipValue', 'clipNorm', 'globalClipNorm'] as const).filter((name) => given[name] !== undefined)
  if (clips.length > 1)
    throw invalid(
      `train.optimizer.${clips[1]}`,
      `${clips[0]} is given, too`,
      'gradients are clipped in one way: keep one',
    )
  if (given.beta1 === 1 || given.beta2 === 1)
    throw invalid('train.optimizer.beta1', 'a beta of 1 never learns', 'give less than 1')
  if (typeof learningRate === 'object') checkSchedule(learningRate)
}

function checkSchedule(schedule: Schedule): void {
  const path = 'train.optimizer.learningRate'
  const { type, warmup: _warmup, ...given } = schedule
  const { needed, more } = SCHEDULE_PARAMS[type]
  const known: readonly string[] = [...needed, ...more]
  const missing = needed.find((name) => schedule[name] === undefined)
  if (missing !== undefined)
    throw invalid(`${path}.${missing}`, 'is missing', `the schedule ${type} needs ${needed.join(', ')}`)
  const foreign = Object.keys(given).find((name) => !known.includes(name))
  if (foreign !== undefined)
    throw invalid(`${path}.${foreign}`, `the schedule ${type} has no such parameter`, `known here: ${known.join(', ')}`)
  const { boundaries, values } = schedule
  if (!boundaries || !values) return
  if (values.length !== boundaries.length + 1)
    throw invalid(
      `${path}.values`,
      `has ${values.length} rates`,
      `${boundaries.length} boundaries part ${boundaries.length + 1} rates`,
    )
  if (boundaries.some((boundary, index) => index > 0 && boundary <= (boundaries[index - 1] ?? 0)))
    throw invalid(`${path}.boundaries`, 'do not rise', 'sort them')
}
