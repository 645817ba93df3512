import { LabelOutOfRange } from '../error-table.js'
import type { BatchTensor } from '../types.js'
import { typedView } from './typed-view.js'

/**
 * Labels travel as int64 and are compared as int32: a value that has no place there would silently become another class.
 *
 * @throws LabelOutOfRange naming the value and its place in the batch
 */
export function checkInt32(tensor: BatchTensor): void {
  const values = typedView(tensor)
  if (!(values instanceof BigInt64Array)) return
  // The upper half of each value must be the sign of the lower one.
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  for (let at = 0; at < values.length; at++) {
    if (halves[2 * at + 1] === (halves[2 * at] as number) >> 31) continue
    const perRecord = values.length / (tensor.shape[0] ?? 1)
    throw LabelOutOfRange(tensor.name, String(values[at]), Math.floor(at / perRecord)).with({
      place: { field: tensor.name },
    })
  }
}
