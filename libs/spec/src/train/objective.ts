import { type Static, Type } from 'typebox'
import { FieldName } from '../knobs.js'

const strict = { additionalProperties: false } as const

export const LOSSES = [
  'sparseCategoricalCrossentropy',
  'categoricalCrossentropy',
  'binaryCrossentropy',
  'meanSquaredError',
  'meanAbsoluteError',
  'mse',
  'mae',
] as const
export type LossName = Exclude<(typeof LOSSES)[number], 'mse' | 'mae'>

export const LossSchema = Type.Union([
  Type.Enum(LOSSES),
  Type.Object(
    {
      type: Type.Enum(LOSSES),
      fromLogits: Type.Optional(
        Type.Boolean({ description: 'of cross-entropies: the model has no softmax or sigmoid at its end' }),
      ),
      labelSmoothing: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, description: 'of categorical and binary cross-entropy' }),
      ),
    },
    strict,
  ),
])

export interface LossSpec {
  readonly type: LossName
  readonly fromLogits: boolean
  readonly labelSmoothing: number
}

export function lossOf(loss: Static<typeof LossSchema>): LossSpec {
  const { type, fromLogits = false, labelSmoothing = 0 } = typeof loss === 'string' ? { type: loss } : loss
  const long = type === 'mse' ? 'meanSquaredError' : type === 'mae' ? 'meanAbsoluteError' : type
  return { type: long, fromLogits, labelSmoothing }
}

export const METRICS = [
  'accuracy',
  'sparseCategoricalAccuracy',
  'categoricalAccuracy',
  'binaryAccuracy',
  'topKAccuracy',
  'auc',
  'mae',
  'mse',
] as const
export type MetricType = (typeof METRICS)[number]

/** `accuracy` is sparse, categorical or binary by the shapes of label and output, as in Keras. */
export const MetricSchema = Type.Union([
  Type.Enum(METRICS),
  Type.Object(
    {
      type: Type.Enum(METRICS),
      k: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'of topKAccuracy; 5 where left out' }),
      ),
    },
    strict,
  ),
])

export interface MetricSpec {
  /** As it is told: the type, or `top5Accuracy`. */
  readonly name: string
  readonly type: MetricType
  readonly k: number
}

export function metricOf(metric: Static<typeof MetricSchema>): MetricSpec {
  const { type, k = 5 } = typeof metric === 'string' ? { type: metric } : metric
  return { name: type === 'topKAccuracy' ? `top${k}Accuracy` : type, type, k }
}

/** What one of a model's outputs is compared with. */
export const OutputSchema = Type.Object(
  {
    label: FieldName,
    loss: Type.Optional(LossSchema),
    lossWeight: Type.Optional(Type.Number({ default: 1, description: 'factor of its loss in the sum' })),
    metrics: Type.Optional(Type.Array(MetricSchema, { maxItems: 16 })),
    sampleWeight: Type.Optional(FieldName),
  },
  strict,
)
