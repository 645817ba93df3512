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
