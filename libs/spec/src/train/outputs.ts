import { type LossSpec, lossOf, type MetricSpec, metricOf } from './objective.js'
import type { Train } from './schema.js'

/** One output of a model with nothing left to default. */
export interface OutputSpec {
  /** Undefined for a model with one output that the job does not name. */
  readonly name: string | undefined
  readonly label: string
  /** Undefined for a SavedModel, which carries its own. */
  readonly loss: LossSpec | undefined
  readonly lossWeight: number
  readonly metrics: readonly MetricSpec[]
  /** Field with a weight for each record. */
  readonly sampleWeight: string | undefined
}

/** The outputs a job names, or the one that it does not name. */
export function outputsOf(train: Train): OutputSpec[] {
  if (!train.outputs) {
    const { label = 'label', loss, metrics, sampleWeight } = train
    const spec = loss === undefined ? undefined : lossOf(loss)
    const listed = metrics?.map(metricOf) ?? defaultMetrics(spec)
    return [{ name: undefined, label, loss: spec, lossWeight: 1, metrics: listed, sampleWeight }]
  }
  return Object.entries(train.outputs).map(([name, output]) => {
    const loss = output.loss === undefined ? undefined : lossOf(output.loss)
    return {
      name,
      label: output.label,
      loss,
      lossWeight: output.lossWeight ?? 1,
      metrics: output.metrics?.map(metricOf) ?? defaultMetrics(loss),
      sampleWeight: output.sampleWeight ?? train.sampleWeight,
    }
  })
}

/** Accuracy, where the loss is a cross-entropy. */
const defaultMetrics = (loss: LossSpec | undefined): MetricSpec[] =>
  loss?.type.endsWith('Crossentropy') ? [metricOf('accuracy')] : []

/** Field that feeds each input: by the order of the model's inputs, or by their names. */
export function featureFields({ features }: Train): readonly string[] {
  return Array.isArray(features) ? features : Object.values(features ?? {})
}

/** Names under which an epoch's numbers are told, besides `loss`: `accuracy`, or `main.loss` and `main.accuracy`. */
export function resultNames(train: Train): string[] {
  const outputs = outputsOf(train)
  return outputs.flatMap(({ name, metrics }) => {
    const names = metrics.map((metric) => metric.name)
    if (name === undefined || outputs.length === 1) return names
    return ['loss', ...names].map((one) => `${name}.${one}`)
  })
}
