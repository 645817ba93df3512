import { allocateBatch, type NewBatchMetadata } from '@stoker/buffer'
import type { RecordFields, Tensor } from '@stoker/formats'
import { ARRAYS, type BatchFields } from '@stoker/ops'
import type { Plan } from '@stoker/plan'
import { describeField } from '@stoker/spec'
import { PaddingExceeded, ShapeDiffers, TypeDiffers } from './error-table.js'

type Field = Plan['wire']['fields'][string]

/**
 * Stacks records into tensors [records, ...shape], for what works on whole batches. With a padding, each record is
 * placed at the front of its row and the rest filled up, as `tf.data.Dataset.padded_batch` does; without one, all shapes
 * must be equal. Fields of other names than the wire's are left out.
 *
 * @throws ShapeDiffers, TypeDiffers, PaddingExceeded
 */
export function stackFields(records: readonly RecordFields[], { wire, padding }: Plan): BatchFields {
  const names = Object.keys((wire.batchStages.length > 0 ? records[0] : undefined) ?? wire.fields)
  const stacked = names.flatMap((name): [string, Tensor][] => {
    const values = records.map((record) => record[name])
    const dtype = (values[0] ?? wire.fields[name])?.dtype
    // A byte string that a batch op may still turn into numbers cannot be stacked.
    if (dtype === undefined || dtype === 'string') return []
    const tensors = values.map((value) => {
      if (!value || value.dtype !== dtype) throw TypeDiffers(name, value?.dtype ?? 'nothing', dtype)
      return value as Tensor
    })
    const shape = rowShape(name, tensors, wire.fields[name], padding !== null)
    return [[name, rowsOf(tensors, dtype, shape, padding?.values[name] ?? 0)]]
  })
  return Object.fromEntries(stacked)
}

function rowShape(name: string, tensors: readonly Tensor[], field: Field | undefined, isPadded: boolean): number[] {
  const first = tensors[0]
  if (!first) return (field?.shape ?? []).map((dim) => dim ?? 0)
  const differs = (shape: readonly number[]) =>
    shape.length !== first.shape.length || (!isPadded && shape.some((dim, axis) => dim !== first.shape[axis]))
  const odd = tensors.find(({ shape }) => differs(shape))
  if (odd) throw ShapeDiffers(name, describeField(odd), describeField(first)).with({ place: { field: name } })
  if (!isPadded) return [...first.shape]
  return first.shape.map((_, axis) => {
    const longest = Math.max(...tensors.map(({ shape }) => shape[axis] ?? 0))
    const given = field?.shape[axis] ?? null
    if (given !== null && longest > given)
      throw PaddingExceeded(name, longest, axis, given).with({ place: { field: name } })
    return given ?? longest
  })
}

function rowsOf(
  tensors: readonly Tensor[],
  dtype: Tensor['dtype'],
  shape: readonly number[],
  fill: number | string,
): Tensor {
  const size = shape.reduce((elements, dim) => elements * dim, 1)
  const data = new ARRAYS[dtype](tensors.length * size)
  if (Number(fill) !== 0) {
    if (data instanceof BigInt64Array) data.fill(BigInt(fill))
    else data.fill(Number(fill))
  }
  for (const [row, tensor] of tensors.entries()) place(data, row * size, shape, tensor)
  return { dtype, shape: [tensors.length, ...shape], data }
}

/** Copies a tensor to the front corner of a row: whole runs along the last dimension at once. */
function place(into: Tensor['data'], at: number, shape: readonly number[], { shape: own, data }: Tensor): void {
  const run = own.at(-1) ?? 1
  const runs = run === 0 ? 0 : data.length / run
  const strides = stridesOf(shape)
  for (let index = 0; index < runs; index++) {
    let left = index
    let offset = at
    for (let axis = own.length - 2; axis >= 0; axis--) {
      const dim = own[axis] as number
      offset += (left % dim) * (strides[axis] as number)
      left = Math.floor(left / dim)
    }
    // Both arrays are of the field's type.
    into.set(data.subarray(index * run, (index + 1) * run) as never, offset)
  }
}

function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1)
  for (let axis = shape.length - 2; axis >= 0; axis--) {
    strides[axis] = (strides[axis + 1] as number) * (shape[axis + 1] as number)
  }
  return strides
}

/** A batch's tensors as safetensors bytes: the fields that the wire plan names, of the types it names. */
export function encodeFields(batch: BatchFields, { wire }: Plan, metadata: NewBatchMetadata): Uint8Array {
  const fields = Object.entries(wire.fields).map(([name, { dtype }]) => {
    const tensor = batch[name]
    if (tensor?.dtype !== dtype)
      throw TypeDiffers(name, tensor?.dtype ?? 'nothing', dtype).with({ place: { field: name } })
    return { name, dtype, shape: tensor.shape, tensor }
  })
  const allocated = allocateBatch({ fields, metadata })
  for (const { name, tensor } of fields) {
    const { buffer, byteOffset, byteLength } = tensor.data
    allocated.view(name).set(new Uint8Array(buffer, byteOffset, byteLength))
  }
  return allocated.finish()
}
