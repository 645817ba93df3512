const MOST_CODES = 4096

/**
 * Unpacks so many palette indexes; fewer come back where the data end, stop by themselves or name a code that was not made.
 * Source: GIF89a specification, appendix F; a full table waits for a clear code.
 */
export function unpackLzw(packed: Uint8Array, codeBits: number, count: number): Uint8Array {
  const out = new Uint8Array(count)
  const clear = 1 << codeBits
  const stop = clear + 1
  const before = new Int16Array(MOST_CODES)
  const last = new Uint8Array(MOST_CODES)
  const lengths = new Uint16Array(MOST_CODES).fill(1, 0, clear)
  for (let code = 0; code < clear; code++) last[code] = code
  let bits = codeBits + 1
  let next = stop + 1
  let previous = -1
  let [buffer, held, at, to] = [0, 0, 0, 0]
  while (to < count) {
    while (held < bits) {
      if (at >= packed.length) return out.subarray(0, to)
      buffer |= (packed[at++] as number) << held
      held += 8
    }
    const code = buffer & ((1 << bits) - 1)
    buffer >>>= bits
    held -= bits
    if (code === clear) {
      bits = codeBits + 1
      next = stop + 1
      previous = -1
      continue
    }
    // A code may be the one about to be made: the string before, and its own first element again.
    const isAhead = code === next && previous >= 0 && next < MOST_CODES
    if (code === stop || (code > stop && code >= next && !isAhead)) return out.subarray(0, to)
    const known = isAhead ? previous : code
    const length = lengths[known] as number
    let from = known
    for (let i = length - 1; i >= 0; i--) {
      // What lies past the last asked index is dropped by the typed array.
      out[to + i] = last[from] as number
      from = before[from] as number
    }
    const first = out[to] as number
    to += length
    if (isAhead) out[to++] = first
    if (previous >= 0 && next < MOST_CODES) {
      before[next] = previous
      last[next] = first
      lengths[next] = (lengths[previous] as number) + 1
      next++
      if (next === 1 << bits && bits < 12) bits++
    }
    previous = code
  }
  return out
}
