/** Uninitialised memory of its own (not a slice of Node's pool), so that it can be transferred to another thread. */
export function allocate(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.length
  }
  const whole = allocate(bytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The pieces of a body, whichever form it has. Ends with the signal's reason once that is aborted. */
export async function* piecesOf(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  if (body instanceof Uint8Array) {
    yield body
    return
  }
  for await (const piece of body) {
    signal?.throwIfAborted()
    yield piece
  }
}
