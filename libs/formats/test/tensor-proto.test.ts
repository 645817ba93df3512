import type { DType } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { parseTensorProto } from '../src/tensor-proto.js'
import { failureOf, golden, spelled } from './support.js'

interface GoldenProto {
  readonly what: string
  readonly proto: string
  readonly dtype: DType | 'string'
  readonly tf: { readonly shape: number[]; readonly values: string[] } | null
}

const protos = golden<GoldenProto[]>('tensor-proto.json')

/** uint8 and bool are spelled as numbers in the golden file, byte strings as base64. */
function values(field: ReturnType<typeof parseTensorProto>): string[] {
  return field.dtype === 'string' || !(field.data instanceof Uint8Array)
    ? spelled(field)
    : Array.from(field.data, String)
}

describe('parsing tensors as TensorFlow does', () => {
  it.each(protos.filter(({ what }) => what !== 'unknown rank'))('$what', async ({ proto, dtype, tf }) => {
    const bytes = Buffer.from(proto, 'base64')
    if (tf) {
      const field = parseTensorProto(bytes, dtype, tf.shape)
      expect({ shape: field.shape, values: values(field) }).toEqual(tf)
      expect(
        parseTensorProto(
          bytes,
          dtype,
          tf.shape.map(() => null),
        ).shape,
      ).toEqual(tf.shape)
    } else expect((await failureOf(() => parseTensorProto(bytes, dtype, [3]))).code).toBe('STK_TENSOR_MALFORMED')
  })

  it('refuses what is not as asked, or stands for too much memory', async () => {
    const { proto } = protos.find(({ what }) => what === 'int32 content')!
    const bytes = Buffer.from(proto, 'base64')
    const refusals = [
      () => parseTensorProto(bytes, 'int64', [2, 3]),
      () => parseTensorProto(bytes, 'int32', [3, 2]),
      () => parseTensorProto(bytes, 'int32', [6]),
      () =>
        parseTensorProto(Buffer.from(protos.find(({ what }) => what === 'unknown rank')!.proto, 'base64'), 'int32', []),
      // dtype int32, one dim of 2^40, no values.
      () => parseTensorProto(Buffer.from('080312091207088080808080' + '20', 'hex'), 'int32', [null]),
    ]
    for (const refuse of refusals) expect((await failureOf(refuse)).code).toBe('STK_TENSOR_MALFORMED')
  })

  it('takes anything that is cut as a coded error, or as a tensor of fewer values', () => {
    for (const { proto, dtype, tf } of protos) {
      const bytes = Buffer.from(proto, 'base64')
      for (let cut = 0; cut < bytes.length; cut++) {
        try {
          parseTensorProto(bytes.subarray(0, cut), dtype, tf?.shape.map(() => null) ?? [])
        } catch (error) {
          expect(error).toMatchObject({ code: 'STK_TENSOR_MALFORMED' })
        }
      }
    }
  })
})
