import { foldDeferred } from '../model/deferred.js'
import { toNumbers, typedView } from '../model/typed-view.js'
import type { BatchTensor, Deferred } from '../types.js'

export type ClassWeight = Readonly<Record<string, number>>

/** A batch tensor's values as numbers, with what the worker left to do applied. */
function valuesOf(tensor: BatchTensor, deferred: Deferred): Float32Array {
  const values = Float32Array.from(toNumbers(typedView(tensor)))
  const affine = foldDeferred(deferred[tensor.name] ?? [])
  return affine ? values.map((value) => value * affine.factor + affine.offset) : values
}

/**
 * The weight of each row of an output in the loss: of its record times that of its class; undefined when all are 1.
 * Labels are class numbers, or rows of probabilities whose largest one is the class.
 *
 * @param rows records times the rows a record has, such as time steps
 */
export function rowWeights(
  rows: number,
  label: BatchTensor,
  sampleWeight: BatchTensor | undefined,
  classWeight: ClassWeight | undefined,
  deferred: Deferred,
): Float32Array | undefined {
  if (!sampleWeight && !classWeight) return undefined
  const weights = new Float32Array(rows).fill(1)
  if (sampleWeight) {
    const given = valuesOf(sampleWeight, deferred)
    const perRecord = rows / given.length
    for (let row = 0; row < rows; row++) weights[row] = given[Math.floor(row / perRecord)] as number
  }
  if (classWeight) {
    const labels = valuesOf(label, deferred)
    const width = labels.length / rows
    for (let row = 0; row < rows; row++) {
      const classNumber = width > 1 ? largest(labels, row * width, width) : (labels[row] as number)
      weights[row] = (weights[row] as number) * (classWeight[Math.trunc(classNumber)] ?? 1)
    }
  }
  return weights
}

function largest(values: Float32Array, from: number, count: number): number {
  let best = 0
  for (let at = 1; at < count; at++) {
    if ((values[from + at] as number) > (values[from + best] as number)) best = at
  }
  return best
}
