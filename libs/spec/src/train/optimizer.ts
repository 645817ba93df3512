import { type Static, Type } from 'typebox'
import { type Schedule, ScheduleSchema } from './schedule.js'

export const OPTIMIZERS = ['sgd', 'momentum', 'adam', 'adamw', 'rmsprop'] as const
export type OptimizerName = (typeof OPTIMIZERS)[number]

const Positive = Type.Number({ exclusiveMinimum: 0 })
const Share = Type.Number({ minimum: 0, maximum: 1 })

/** Parameters are Keras's, in camelCase, with Keras's defaults. */
export const OptimizerSchema = Type.Object(
  {
    type: Type.Enum(OPTIMIZERS),
    learningRate: Type.Optional(Type.Union([Positive, ScheduleSchema])),
    momentum: Type.Optional(Type.Unsafe<number>({ ...Share, description: 'of sgd, momentum, rmsprop' })),
    nesterov: Type.Optional(Type.Boolean({ description: 'of sgd, momentum' })),
    beta1: Type.Optional(Type.Unsafe<number>({ ...Share, description: 'of adam, adamw' })),
    beta2: Type.Optional(Type.Unsafe<number>({ ...Share, description: 'of adam, adamw' })),
    amsgrad: Type.Optional(Type.Boolean({ description: 'of adam, adamw' })),
    epsilon: Type.Optional(Type.Unsafe<number>({ ...Positive, description: 'of adam, adamw, rmsprop' })),
    rho: Type.Optional(Type.Unsafe<number>({ ...Share, description: 'of rmsprop' })),
    centered: Type.Optional(Type.Boolean({ description: 'of rmsprop' })),
    weightDecay: Type.Optional(
      Type.Number({ minimum: 0, description: 'decoupled: weights shrink by this share of the rate' }),
    ),
    excludeFromWeightDecay: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'parts of names of variables, such as "bias"' }),
    ),
    clipValue: Type.Optional(Type.Unsafe<number>({ ...Positive, description: 'bound of each element of a gradient' })),
    clipNorm: Type.Optional(Type.Unsafe<number>({ ...Positive, description: 'bound of the norm of each gradient' })),
    globalClipNorm: Type.Optional(
      Type.Unsafe<number>({ ...Positive, description: 'bound of the norm of all gradients' }),
    ),
  },
  { additionalProperties: false, description: 'of layers models; adam where left out. A SavedModel carries its own' },
)
export type OptimizerOptions = Static<typeof OptimizerSchema>

/** Parameters of one optimizer alone, with their defaults; `weightDecay` and clipping belong to all. */
export const OPTIMIZER_PARAMS = {
  sgd: { learningRate: 0.01, momentum: 0, nesterov: false },
  momentum: { learningRate: 0.01, momentum: 0.9, nesterov: false },
  adam: { learningRate: 0.001, beta1: 0.9, beta2: 0.999, epsilon: 1e-7, amsgrad: false },
  adamw: { learningRate: 0.001, beta1: 0.9, beta2: 0.999, epsilon: 1e-7, amsgrad: false, weightDecay: 0.004 },
  rmsprop: { learningRate: 0.001, rho: 0.9, momentum: 0, epsilon: 1e-7, centered: false },
} as const satisfies Readonly<Record<OptimizerName, Omit<OptimizerOptions, 'type'>>>

export const COMMON_PARAMS = [
  'weightDecay',
  'excludeFromWeightDecay',
  'clipValue',
  'clipNorm',
  'globalClipNorm',
] as const satisfies readonly (keyof OptimizerOptions)[]

/** An optimizer with nothing left to default. */
export interface OptimizerSpec {
  /** `sgd` stands for `momentum`, `adam` for `adamw`: they differ in defaults only. */
  readonly type: 'sgd' | 'adam' | 'rmsprop'
  readonly learningRate: Schedule
  readonly momentum: number
  readonly nesterov: boolean
  readonly beta1: number
  readonly beta2: number
  readonly amsgrad: boolean
  readonly epsilon: number
  readonly rho: number
  readonly centered: boolean
  readonly weightDecay: number
  readonly excludeFromWeightDecay: readonly string[]
  readonly clip: { readonly by: 'value' | 'norm' | 'globalNorm'; readonly bound: number } | undefined
}

export function optimizerOf(options: OptimizerOptions = { type: 'adam' }): OptimizerSpec {
  const { type, clipValue, clipNorm, globalClipNorm, excludeFromWeightDecay = [], ...given } = options
  const { learningRate, ...params } = { ...OPTIMIZER_PARAMS[type], ...given }
  const clips = [
    ['value', clipValue],
    ['norm', clipNorm],
    ['globalNorm', globalClipNorm],
  ] as const
  const [clip] = clips.flatMap(([by, bound]) => (bound === undefined ? [] : [{ by, bound }]))
  return {
    ...{ momentum: 0, nesterov: false, beta1: 0, beta2: 0, amsgrad: false, epsilon: 0, rho: 0, centered: false },
    weightDecay: 0,
    ...params,
    type: type === 'momentum' ? 'sgd' : type === 'adamw' ? 'adam' : type,
    learningRate: typeof learningRate === 'number' ? { type: 'constant', learningRate } : learningRate,
    excludeFromWeightDecay,
    clip,
  }
}
