/** Element types of tensors, by TensorFlow's names. */
export const DTYPES = ['uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'float32', 'float64', 'bool'] as const
export type DType = (typeof DTYPES)[number]

/** Bytes of one element. */
export const DTYPE_BYTES = {
  uint8: 1,
  int8: 1,
  bool: 1,
  uint16: 2,
  int16: 2,
  int32: 4,
  float32: 4,
  int64: 8,
  float64: 8,
} as const satisfies Record<DType, number>

export const isFloat = (dtype: string): boolean => dtype === 'float32' || dtype === 'float64'
