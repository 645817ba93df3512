import { createHash } from 'node:crypto'

/**
 * Runs `body` with `Math.random` drawing from a stream that (seed, purpose, index) names. tfjs takes all its randomness
 * (initial weights, dropout, noise) from there, so equal seeds give equal runs, and a run that resumes at a step draws
 * what the uninterrupted one drew. `body` must not wait: nothing else runs while it does.
 */
export function withSeededRandom<T>(seed: number, purpose: string, index: number, body: () => T): T {
  const before = Math.random
  Math.random = sfc32(createHash('sha256').update(`stoker:${seed}:${purpose}:${index}`).digest())
  try {
    return body()
  } finally {
    Math.random = before
  }
}

/** Chris Doty-Humphrey's small fast counter generator (PractRand), 53 bits a draw. */
function sfc32(key: Buffer): () => number {
  let a = key.readUInt32LE(0)
  let b = key.readUInt32LE(4)
  let c = key.readUInt32LE(8)
  let counter = 1
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return result >>> 0
  }
  for (let i = 0; i < 12; i++) next()
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53
}
