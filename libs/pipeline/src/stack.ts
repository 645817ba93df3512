import { allocateBatch, type NewBatchMetadata } from '@stoker/buffer'
import type { RecordFields, Tensor } from '@stoker/formats'
import type { Plan } from '@stoker/plan'
import { describeField } from '@stoker/spec'
import { ShapeDiffers, TypeDiffers } from './error-table.js'

const bytesOf = ({ data }: Tensor): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

/**
 * Stacks records into one safetensors batch: field `f` of the wire plan becomes a tensor [records, ...shape of f].
 * Rows are written straight into the batch's bytes. Shapes come from the first record; all others must have them.
 */
export class BatchStack {
  readonly #fields: Plan['wire']['fields']
  readonly #records: number
  readonly #metadata: NewBatchMetadata
  #batch: ReturnType<typeof allocateBatch> | undefined
  #first: RecordFields = {}

  constructor(fields: Plan['wire']['fields'], records: number, metadata: NewBatchMetadata) {
    this.#fields = fields
    this.#records = records
    this.#metadata = metadata
  }

  /** @throws ShapeDiffers or TypeDiffers; the caller adds shard and record. */
  set(row: number, record: RecordFields): void {
    this.#batch ??= this.#allocate(record)
    for (const [name, { dtype }] of Object.entries(this.#fields)) {
      const value = record[name]
      const first = this.#first[name]
      if (!value || !first || value.dtype !== dtype)
        throw TypeDiffers(name, value?.dtype ?? 'nothing', dtype).with({ place: { field: name } })
      if (value.shape.length !== first.shape.length || value.shape.some((dim, axis) => dim !== first.shape[axis])) {
        throw ShapeDiffers(name, describeField(value), describeField(first)).with({ place: { field: name } })
      }
      const bytes = bytesOf(value as Tensor)
      this.#batch.view(name).set(bytes, row * bytes.byteLength)
    }
  }

  finish(): Uint8Array {
    this.#batch ??= this.#allocate({})
    return this.#batch.finish()
  }

  #allocate(first: RecordFields): ReturnType<typeof allocateBatch> {
    this.#first = first
    const fields = Object.entries(this.#fields).map(([name, { dtype, shape }]) => ({
      name,
      dtype,
      shape: [this.#records, ...(first[name]?.shape ?? shape.map((dim) => dim ?? 0))],
    }))
    return allocateBatch({ fields, metadata: this.#metadata })
  }
}
