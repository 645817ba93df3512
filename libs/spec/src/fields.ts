import { isFloat } from './dtype.js'
import { MissingField, WrongFieldType } from './error-table.js'
import { describeField, type FieldSpec, type Signature } from './signature.js'

/** The named field, or an error that lists the fields there are. */
export function fieldOf(signature: Signature, op: string, field: string): FieldSpec {
  const spec = signature[field]
  if (!spec) throw MissingField(op, field, Object.keys(signature).join(', ') || 'none').with({ place: { op, field } })
  return spec
}

/** The named field, which must be a byte string. */
export function bytesField(signature: Signature, op: string, field: string): FieldSpec {
  const spec = fieldOf(signature, op, field)
  if (spec.dtype !== 'string' || spec.shape.length > 0) {
    throw WrongFieldType(op, field, 'one byte string', describeField(spec)).with({ place: { op, field } })
  }
  return spec
}

/** The named field, which must be numeric. */
export function numericField(
  signature: Signature,
  op: string,
  field: string,
): FieldSpec & { dtype: Exclude<FieldSpec['dtype'], 'string'> } {
  const spec = fieldOf(signature, op, field)
  const { dtype } = spec
  if (dtype === 'string') {
    throw WrongFieldType(op, field, 'numbers', describeField(spec)).with({
      place: { op, field },
      remedy: 'decode the bytes first, for instance with decodeJpeg or decodePng',
    })
  }
  return { dtype, shape: spec.shape }
}

/** The named field, which must be an image: numbers of shape [height, width, channels]. */
export function imageField(signature: Signature, op: string, field: string): ReturnType<typeof numericField> {
  const spec = numericField(signature, op, field)
  if (spec.shape.length !== 3) {
    throw WrongFieldType(op, field, 'an image [height,width,channels]', describeField(spec)).with({
      place: { op, field },
    })
  }
  return spec
}

/** The named field, which must hold byte strings, of any shape. */
export function stringsField(signature: Signature, op: string, field: string): FieldSpec {
  const spec = fieldOf(signature, op, field)
  if (spec.dtype === 'string') return spec
  throw WrongFieldType(op, field, 'text', describeField(spec)).with({ place: { op, field } })
}

/** The named field, which must hold float32 or float64. */
export function floatField(signature: Signature, op: string, field: string): ReturnType<typeof numericField> {
  const spec = numericField(signature, op, field)
  if (isFloat(spec.dtype)) return spec
  throw WrongFieldType(op, field, 'float32 or float64', describeField(spec)).with({
    place: { op, field },
    remedy: `put cast('${field}', 'float32') before it`,
  })
}
