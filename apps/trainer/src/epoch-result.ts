/** What a finished epoch gave. Values over all its records. */
export type EpochResult = {
  readonly epoch: number
  readonly loss: number
  readonly accuracy: number | null
  /** By name; of several outputs `<output>.loss` and `<output>.<metric>`. */
  readonly metrics: Readonly<Record<string, number>>
  readonly valLoss: number | null
  readonly valAccuracy: number | null
  readonly valMetrics: Readonly<Record<string, number>> | null
  /** Of the epoch's last step; null where the model has its own. */
  readonly learningRate: number | null
}
