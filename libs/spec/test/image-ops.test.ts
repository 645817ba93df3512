import { describe, expect, it } from 'vitest'
import { StokerError } from '../src/errors.js'
import { OPS, type OpName } from '../src/ops/index.js'
import type { FieldSpec, Signature } from '../src/signature.js'

const image = (shape: (number | null)[], dtype: FieldSpec['dtype'] = 'uint8'): FieldSpec => ({ dtype, shape })

function infer(op: OpName, spec: FieldSpec, params: object = {}): FieldSpec | undefined {
  const declared = OPS[op].infer as (signature: Signature, params: object) => Signature
  return declared({ x: spec }, { field: 'x', ...params }).x
}

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof StokerError) return error.code
    throw error
  }
  return 'none'
}

describe('shapes after image ops, as far as they are known', () => {
  const known: readonly [op: OpName, params: object, before: FieldSpec, after: FieldSpec][] = [
    ['rot90', {}, image([4, 6, 3]), image([6, 4, 3])],
    ['rot90', { k: 2 }, image([4, 6, 3]), image([4, 6, 3])],
    ['transpose', {}, image([4, null, 3]), image([null, 4, 3])],
    ['crop', { offset: [0, 1], size: [2, 5] }, image([4, 6, 3]), image([2, 5, 3])],
    ['centralCrop', { fraction: 0.5 }, image([5, null, 3]), image([3, null, 3])],
    ['pad', { top: 1, right: 2 }, image([4, null, 1]), image([5, null, 1])],
    ['pad', { paddings: [[1, 2]] }, image([3], 'int64'), image([6], 'int64')],
    ['resize', { size: [7, 8] }, image([null, null, 3]), image([7, 8, 3], 'float32')],
    ['resize', { size: [7, 8], method: 'nearest' }, image([null, null, 3]), image([7, 8, 3])],
    ['resize', { size: [7, 8], preserveAspectRatio: true }, image([4, 4, 3]), image([null, null, 3], 'float32')],
    ['resizeWithPad', { size: [7, 8] }, image([null, null, 3]), image([7, 8, 3], 'float32')],
    ['resizeWithCropOrPad', { size: [7, 8] }, image([null, null, 3]), image([7, 8, 3])],
    ['rgbToGrayscale', {}, image([4, 6, 3]), image([4, 6, 1])],
    ['grayscaleToRgb', {}, image([4, 6, 1]), image([4, 6, 3])],
    ['perImageStandardization', {}, image([4, 6, 3]), image([4, 6, 3], 'float32')],
    ['convertImageDtype', { dtype: 'float32' }, image([4, 6, 3]), image([4, 6, 3], 'float32')],
    ['decodeGif', {}, { dtype: 'string', shape: [] }, image([null, null, 3])],
    ['decodePng', { dtype: 'uint16' }, { dtype: 'string', shape: [] }, image([null, null, null], 'uint16')],
  ]
  it.each(known)('%s %j', (op, params, before, after) => {
    expect(infer(op, before, params)).toEqual(after)
  })
})

describe('what cannot work is refused before a job starts', () => {
  const refused: readonly [op: OpName, params: object, before: FieldSpec, code: string][] = [
    ['crop', { offset: [3, 0], size: [2, 2] }, image([4, 6, 3]), 'STK_SPEC_CROP'],
    ['adjustHue', { delta: 0.1 }, image([4, 6, 1]), 'STK_SPEC_FIELD_TYPE'],
    ['rgbToHsv', {}, image([4, 6, 3]), 'STK_SPEC_FIELD_TYPE'],
    ['flipLeftRight', {}, image([4, 6]), 'STK_SPEC_FIELD_TYPE'],
    ['pad', { top: 1 }, image([4]), 'STK_SPEC_FIELD_TYPE'],
    ['normalize', { mean: [1, 2], std: 1 }, image([4, 6, 3]), 'STK_SPEC_NORMALIZE_CHANNELS'],
    ['convertImageDtype', { dtype: 'float32' }, image([4, 6, 3], 'int64'), 'STK_SPEC_FIELD_TYPE'],
  ]
  it.each(refused)('%s %j', (op, params, before, code) => {
    expect(codeOf(() => infer(op, before, params))).toBe(code)
  })
})
