import { batchSha256, decodeBatch, type NamedTensor, typedView } from '@stoker/buffer'
import type { ResumeToken } from '@stoker/spec'
import { Type } from 'typebox'

const FIRST_VALUES = 16

/** A number as JSON can hold it: whole numbers past 2^53 and what is no number become texts. */
const Value = Type.Union([Type.Number(), Type.String(), Type.Boolean()])

export const BatchView = Type.Object(
  {
    job: Type.String(),
    epoch: Type.Integer({ minimum: 0 }),
    batch: Type.Integer({ minimum: 0 }),
    records: Type.Integer({ minimum: 0 }),
    planHash: Type.String(),
    sha256: Type.String({ description: 'over the bytes of the tensors in name order' }),
    token: Type.Object(
      { job: Type.String(), specHash: Type.String(), epoch: Type.Integer(), batch: Type.Integer() },
      { description: 'resume token: the batch after this one' },
    ),
    deferred: Type.Unknown({ description: 'what is left for the consumer to do to each field, in order' }),
    tensors: Type.Array(
      Type.Object({
        name: Type.String(),
        dtype: Type.String(),
        shape: Type.Array(Type.Integer({ minimum: 0 })),
        bytes: Type.Integer({ minimum: 0 }),
        first: Type.Array(Value, { description: `the first ${FIRST_VALUES} values, row-major` }),
      }),
    ),
  },
  { title: 'Batch' },
)

/** What a batch holds, in numbers a person can read. */
export function batchView(bytes: Uint8Array, token: ResumeToken) {
  const { tensors, metadata } = decodeBatch(bytes)
  const { job, epoch, batch, records, planHash, deferred } = metadata
  return {
    ...{ job, epoch, batch, records, planHash, sha256: batchSha256(tensors), token },
    deferred: deferred === undefined ? {} : (JSON.parse(deferred) as unknown),
    tensors: tensors.map((tensor) => ({
      name: tensor.name,
      dtype: tensor.dtype,
      shape: [...tensor.shape],
      bytes: tensor.data.byteLength,
      first: firstValues(tensor),
    })),
  }
}

function firstValues(tensor: NamedTensor): (number | string | boolean)[] {
  const values = typedView(tensor).subarray(0, FIRST_VALUES)
  return Array.from<number | bigint, number | string | boolean>(values, (value) => {
    if (tensor.dtype === 'bool') return value !== 0
    const number = Number(value)
    const isExact = typeof value === 'bigint' ? BigInt(number) === value && Number.isSafeInteger(number) : true
    return isExact && Number.isFinite(number) ? number : String(value)
  })
}
