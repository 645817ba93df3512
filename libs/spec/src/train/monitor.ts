import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false } as const

const Monitor = Type.String({
  minLength: 1,
  description: 'loss or the name of a metric; val and the name with a capital for the held-out data, such as valLoss',
})
export const MODES = ['auto', 'min', 'max'] as const
const Mode = Type.Enum(MODES, { description: 'auto: more is better for accuracies and auc, less for the rest' })

/** As keras.callbacks.EarlyStopping. */
export const EarlyStoppingSchema = Type.Object(
  {
    monitor: Type.Optional(Monitor),
    patience: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'epochs without improvement' })),
    minDelta: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'less is no improvement' })),
    mode: Type.Optional(Mode),
    startFromEpoch: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'epochs before it counts' })),
    restoreBest: Type.Optional(
      Type.Boolean({ default: false, description: 'the exported model is the one of the best epoch' }),
    ),
  },
  strict,
)
export type EarlyStopping = Static<typeof EarlyStoppingSchema>

/** Which epoch's checkpoint is kept beside the last ones. */
export const BestSchema = Type.Object({ monitor: Type.Optional(Monitor), mode: Type.Optional(Mode) }, strict)

export interface MonitorSpec {
  readonly monitor: string
  readonly mode: 'min' | 'max'
  /** A smaller change is none. */
  readonly minDelta: number
  /** Epochs before it do not count. */
  readonly startFromEpoch: number
}

/** `valLoss` for `loss`. */
export const valName = (name: string): string => `val${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** As Keras decides: more is better for accuracies and auc. */
export function directionOf(monitor: string, mode: (typeof MODES)[number] = 'auto'): 'min' | 'max' {
  if (mode !== 'auto') return mode
  return /(accuracy|auc)$/i.test(monitor) ? 'max' : 'min'
}

interface Monitored {
  readonly validation?: unknown
  readonly earlyStopping?: EarlyStopping
  readonly checkpoint?: { readonly best?: Static<typeof BestSchema> }
}

const heldOut = (train: Monitored): string => (train.validation === undefined ? 'loss' : 'valLoss')

/** What decides about stopping early; undefined when the job runs all its epochs. */
export function stoppingMonitor(train: Monitored): MonitorSpec | undefined {
  if (!train.earlyStopping) return undefined
  const { monitor = heldOut(train), mode, minDelta = 0, startFromEpoch = 0 } = train.earlyStopping
  return { monitor, mode: directionOf(monitor, mode), minDelta, startFromEpoch }
}

/** What decides which epoch is the best: what stopping watches, else the loss on held-out data; undefined without both. */
export function bestMonitor(train: Monitored): MonitorSpec | undefined {
  const best = train.checkpoint?.best
  if (best) {
    const monitor = best.monitor ?? heldOut(train)
    return { monitor, mode: directionOf(monitor, best.mode), minDelta: 0, startFromEpoch: 0 }
  }
  const onHeldOut = { monitor: 'valLoss', mode: 'min', minDelta: 0, startFromEpoch: 0 } as const
  return stoppingMonitor(train) ?? (train.validation === undefined ? undefined : onHeldOut)
}
