/** Values of one feature, by the kind of list that holds them. */
export type FeatureValue =
  | { readonly bytes: readonly (Uint8Array | string)[] }
  | { readonly float32: readonly number[] | Float32Array }
  | { readonly int64: readonly (number | bigint)[] | BigInt64Array }

/**
 * A `tf.train.Example` message; lists of numbers are packed. Features are written in the order given, so equal input
 * gives equal bytes.
 *
 * @example encodeExample({ image: { bytes: [png] }, label: { int64: [7] } })
 */
export function encodeExample(features: Readonly<Record<string, FeatureValue>>): Uint8Array {
  const entries = Object.entries(features).map(([name, value]) =>
    field(1, concat([field(1, Buffer.from(name)), field(2, encodeFeature(value))])),
  )
  return new Uint8Array(field(1, concat(entries)))
}

function encodeFeature(value: FeatureValue): Buffer {
  if ('bytes' in value) return field(1, concat(value.bytes.map((item) => field(1, Buffer.from(item)))))
  if ('float32' in value) {
    const packed = Buffer.alloc(4 * value.float32.length)
    for (const [at, number] of value.float32.entries()) packed.writeFloatLE(number, 4 * at)
    return field(2, packed.length ? field(1, packed) : packed)
  }
  const packed = concat(Array.from(value.int64, (number) => varint(BigInt.asUintN(64, BigInt(number)))))
  return field(3, packed.length ? field(1, packed) : packed)
}

/** field = tag:varint length:varint byte[length] */
function field(number: number, body: Buffer): Buffer {
  return concat([varint(BigInt((number << 3) | 2)), varint(BigInt(body.length)), body])
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

const concat = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts)
