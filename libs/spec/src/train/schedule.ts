import { type Static, Type } from 'typebox'

const Rate = Type.Number({ exclusiveMinimum: 0 })
const Steps = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const SCHEDULES = ['constant', 'step', 'piecewise', 'exponential', 'polynomial', 'cosine'] as const
export type ScheduleType = (typeof SCHEDULES)[number]

/** A learning rate as a function of the step, in Keras's terms. Every schedule may begin with a warm-up. */
export const ScheduleSchema = Type.Object(
  {
    type: Type.Enum(SCHEDULES),
    learningRate: Type.Optional(
      Type.Unsafe<number>({ ...Rate, description: 'the rate it starts with, after the warm-up' }),
    ),
    warmup: Type.Optional(
      Type.Object(
        { steps: Steps, from: Type.Optional(Type.Number({ minimum: 0, default: 0 })) },
        {
          additionalProperties: false,
          description: 'a straight line from `from` to the first rate; the schedule begins after it',
        },
      ),
    ),
    decaySteps: Type.Optional(
      Type.Unsafe<number>({ ...Steps, description: 'of step, exponential, polynomial, cosine' }),
    ),
    decayRate: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'of step and exponential: the factor' })),
    staircase: Type.Optional(Type.Boolean({ description: 'of exponential: whole powers only' })),
    boundaries: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, description: 'of piecewise: steps' }),
    ),
    values: Type.Optional(
      Type.Array(Rate, { minItems: 2, description: 'of piecewise: one rate more than boundaries' }),
    ),
    alpha: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'of cosine: the last rate, as a share' })),
    endLearningRate: Type.Optional(Type.Number({ minimum: 0, description: 'of polynomial' })),
    power: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'of polynomial' })),
    cycle: Type.Optional(Type.Boolean({ description: 'of polynomial: begins anew after the last step' })),
  },
  { additionalProperties: false },
)
export type Schedule = Static<typeof ScheduleSchema>

interface ScheduleParams {
  readonly needed: readonly (keyof Schedule)[]
  readonly more: readonly (keyof Schedule)[]
}

/** Parameters of each schedule besides `warmup`. */
export const SCHEDULE_PARAMS = {
  constant: { needed: ['learningRate'], more: [] },
  step: { needed: ['learningRate', 'decaySteps', 'decayRate'], more: [] },
  piecewise: { needed: ['boundaries', 'values'], more: [] },
  exponential: { needed: ['learningRate', 'decaySteps', 'decayRate'], more: ['staircase'] },
  polynomial: { needed: ['learningRate', 'decaySteps'], more: ['endLearningRate', 'power', 'cycle'] },
  cosine: { needed: ['learningRate', 'decaySteps'], more: ['alpha'] },
} as const satisfies Readonly<Record<ScheduleType, ScheduleParams>>

/**
 * The learning rate of a step, counted from 0: the formulas of keras.optimizers.schedules, in double precision.
 * `step` is `exponential` with a staircase. `schedule` must have passed the check of `parseJob`.
 */
export function learningRateAt(schedule: Schedule, step: number): number {
  const { warmup } = schedule
  if (!warmup) return decayed(schedule, step)
  if (step >= warmup.steps) return decayed(schedule, step - warmup.steps)
  const from = warmup.from ?? 0
  return from + (decayed(schedule, 0) - from) * (step / warmup.steps)
}

function decayed(schedule: Schedule, step: number): number {
  const { learningRate = 0, decaySteps = 1, decayRate = 1 } = schedule
  switch (schedule.type) {
    case 'constant':
      return learningRate
    case 'step':
      return learningRate * decayRate ** Math.floor(step / decaySteps)
    case 'exponential':
      return learningRate * decayRate ** (schedule.staircase ? Math.floor(step / decaySteps) : step / decaySteps)
    case 'piecewise': {
      const { boundaries = [], values = [] } = schedule
      const at = boundaries.findIndex((boundary) => step <= boundary)
      return values[at < 0 ? boundaries.length : at] ?? 0
    }
    case 'polynomial': {
      const { endLearningRate: end = 0.0001, power = 1, cycle = false } = schedule
      const length = cycle ? decaySteps * Math.max(1, Math.ceil(step / decaySteps)) : decaySteps
      return (learningRate - end) * (1 - Math.min(step, length) / length) ** power + end
    }
    case 'cosine': {
      const { alpha = 0 } = schedule
      const cosine = 0.5 * (1 + Math.cos((Math.PI * Math.min(step, decaySteps)) / decaySteps))
      return learningRate * ((1 - alpha) * cosine + alpha)
    }
  }
}
