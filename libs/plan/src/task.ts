/** A piece of work: batches [firstBatch, firstBatch + count) of an epoch. A worker derives all else from the plan. */
export interface Task {
  readonly job: string
  readonly epoch: number
  readonly firstBatch: number
  readonly count: number
}

/** A place in a job's sequence of batches. As a cursor: the first batch not consumed. */
export interface BatchAt {
  readonly epoch: number
  readonly batch: number
}

export const compareBatches = (a: BatchAt, b: BatchAt): number => a.epoch - b.epoch || a.batch - b.batch
