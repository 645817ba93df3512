/** Where the time of one training step went. */
export interface StepRecord {
  /** From 1. */
  readonly step: number
  readonly epoch: number
  readonly batch: number
  readonly records: number
  readonly loss: number
  readonly accuracy: number | null
  /** Waiting for the batch, in ms. */
  readonly waitMs: number
  /** The step itself, from the bytes in shared memory to its loss, in ms. */
  readonly computeMs: number
  /** From the end of the step before to the end of this one, in ms. */
  readonly wallMs: number
  /** Batches that lay ready in shared memory when this one was taken, itself included. */
  readonly ready: number
}
