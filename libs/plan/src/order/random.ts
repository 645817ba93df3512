/**
 * Keyed pseudo-random numbers and permutations: the same key gives the same values on every machine, in any call order.
 * Mixing is the finaliser of MurmurHash3 (Austin Appleby, public domain); permutations are balanced Feistel networks
 * made to fit any size by cycle walking (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
 */

/** MurmurHash3's 32-bit finaliser: every input bit reaches every output bit. */
export function mix32(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** One 32-bit key from whole numbers up to 2^53, order counted. */
export function keyOf(...parts: readonly number[]): number {
  let key = 0x9e3779b9
  for (const part of parts) {
    key = mix32(key ^ (part >>> 0))
    key = mix32(key + Math.floor(part / 2 ** 32) + 0x7f4a7c15)
  }
  return key
}

const ROUNDS = 6

/** A permutation of [0, size): a bijection in constant memory, both ways. */
export interface Permutation {
  at(index: number): number
  /** Where `at` gives this value. */
  placeOf(value: number): number
}

const IDENTITY: Permutation = { at: (index) => index, placeOf: (value) => value }

/** @param size up to 2^52. */
export function permutation(size: number, key: number): Permutation {
  if (size <= 1) return IDENTITY
  let halfBits = 1
  while (2 ** (2 * halfBits) < size) halfBits++
  const half = 2 ** halfBits
  const mask = half - 1
  const keys = Array.from({ length: ROUNDS }, (_, round) => keyOf(key, round))
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0, k4 = 0, k5 = 0] = keys
  // The network permutes [0, half^2), at most four times the size: a walk ends after four steps on average.
  return {
    at: (index) => {
      let value = index
      do {
        let left = Math.floor(value / half)
        let right = value % half
        left ^= mix32(right ^ k0) & mask
        right ^= mix32(left ^ k1) & mask
        left ^= mix32(right ^ k2) & mask
        right ^= mix32(left ^ k3) & mask
        left ^= mix32(right ^ k4) & mask
        right ^= mix32(left ^ k5) & mask
        value = left * half + right
      } while (value >= size)
      return value
    },
    placeOf: (value) => {
      let index = value
      do {
        let left = Math.floor(index / half)
        let right = index % half
        right ^= mix32(left ^ k5) & mask
        left ^= mix32(right ^ k4) & mask
        right ^= mix32(left ^ k3) & mask
        left ^= mix32(right ^ k2) & mask
        right ^= mix32(left ^ k1) & mask
        left ^= mix32(right ^ k0) & mask
        index = left * half + right
      } while (index >= size)
      return index
    },
  }
}

/** [0, size) in a keyed random order (Fisher-Yates), for sizes that are held in memory anyway. */
export function shuffled(size: number, key: number): number[] {
  const order = Array.from({ length: size }, (_, index) => index)
  for (let last = size - 1; last > 0; last--) {
    const pick = Math.floor((keyOf(key, last) / 2 ** 32) * (last + 1))
    const held = order[last] as number
    order[last] = order[pick] as number
    order[pick] = held
  }
  return order
}
