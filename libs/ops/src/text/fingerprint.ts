/**
 * FarmHash Fingerprint64 (Google, MIT licence; farmhashna::Hash64 in farmhash.cc), on which `tf.strings.to_hash_bucket_fast`
 * rests. Own code: the WebAssembly and Rust packages tried give other values for lengths that are multiples of 64.
 */
const K0 = 0xc3a5c85c97cb3127n
const K1 = 0xb492b66fbe98f273n
const K2 = 0x9ae16a3b2f90404fn

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, by: bigint): bigint => {
  const held = u64(value)
  return (held >> by) | u64(held << (64n - by))
}
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n)

function hash16(u: bigint, v: bigint, mul: bigint): bigint {
  const a = shiftMix(u64((u64(u) ^ u64(v)) * mul))
  return u64(shiftMix(u64((u64(v) ^ a) * mul)) * mul)
}

type Pair = readonly [bigint, bigint]
type Fetch = (at: number) => bigint

function weakHash32(fetch: Fetch, at: number, first: bigint, second: bigint): Pair {
  const z = fetch(at + 24)
  const start = first + fetch(at)
  const turned = rotate(second + start + z, 21n)
  const a = start + fetch(at + 8) + fetch(at + 16)
  return [u64(a + z), u64(turned + rotate(a, 44n) + start)]
}

function hashTo16(bytes: Uint8Array, view: DataView, fetch: Fetch): bigint {
  const { length } = bytes
  const mul = u64(K2 + BigInt(length) * 2n)
  if (length >= 8) {
    const a = fetch(0) + K2
    const b = fetch(length - 8)
    return hash16(rotate(b, 37n) * mul + a, (rotate(a, 25n) + b) * mul, mul)
  }
  if (length >= 4) {
    const a = BigInt(view.getUint32(0, true))
    return hash16(BigInt(length) + (a << 3n), BigInt(view.getUint32(length - 4, true)), mul)
  }
  if (length === 0) return K2
  const at = (place: number) => bytes[place] ?? 0
  const y = BigInt(at(0) + (at(length >> 1) << 8))
  const z = BigInt(length + (at(length - 1) << 2))
  return u64(shiftMix(u64(y * K2) ^ u64(z * K0)) * K2)
}

function hashTo64(length: number, fetch: Fetch): bigint {
  const mul = u64(K2 + BigInt(length) * 2n)
  const a = fetch(0) * (length <= 32 ? K1 : K2)
  const b = fetch(8)
  const c = fetch(length - 8) * mul
  const d = fetch(length - 16) * K2
  const y = rotate(a + b, 43n) + rotate(c, 30n) + d
  const z = hash16(y, a + rotate(b + K2, 18n) + c, mul)
  if (length <= 32) return z
  const e = fetch(16) * mul
  const f = fetch(24)
  const g = (y + fetch(length - 32)) * mul
  const h = (z + fetch(length - 24)) * mul
  return hash16(rotate(e + f, 43n) + rotate(g, 30n) + h, e + rotate(f + a, 18n) + g, mul)
}

/** Of any bytes: a 64-bit number, the same on every machine. */
export function fingerprint64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fetch: Fetch = (at) => view.getBigUint64(at, true)
  const { length } = bytes
  if (length <= 16) return hashTo16(bytes, view, fetch)
  if (length <= 64) return hashTo64(length, fetch)
  let y = u64(81n * K1 + 113n)
  let z = u64(shiftMix(u64(y * K2 + 113n)) * K2)
  let x = u64(81n * K2 + fetch(0))
  let v: Pair = [0n, 0n]
  let w: Pair = [0n, 0n]
  // One round over the 64 bytes at `at`; the last one has its own multiplier and weights.
  const round = (at: number, mul: bigint, weight: bigint): void => {
    x = u64(rotate(x + y + v[0] + fetch(at + 8), 37n) * mul) ^ u64(w[1] * weight)
    y = u64(rotate(y + v[1] + fetch(at + 48), 42n) * mul + v[0] * weight + fetch(at + 40))
    z = u64(rotate(z + w[0], 33n) * mul)
    v = weakHash32(fetch, at, v[1] * mul, x + w[0])
    w = weakHash32(fetch, at + 32, z + w[1], y + fetch(at + 16))
    ;[z, x] = [x, z]
  }
  const end = Math.floor((length - 1) / 64) * 64
  for (let at = 0; at < end; at += 64) round(at, K1, 1n)
  const mul = u64(K1 + ((z & 0xffn) << 1n))
  const tail = w[0] + BigInt((length - 1) & 63)
  v = [u64(v[0] + tail), v[1]]
  w = [u64(tail + v[0]), w[1]]
  round(length - 64, mul, 9n)
  return hash16(hash16(v[0], w[0], mul) + shiftMix(y) * K0 + z, hash16(v[1], w[1], mul) + x, mul)
}

/** `tf.strings.to_hash_bucket_fast`: the fingerprint modulo the number of buckets. */
export const hashBucket = (text: Uint8Array, buckets: bigint): bigint => fingerprint64(text) % buckets
