/** setTimeout counts to this at most. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Waits until a word of shared memory is not `seen` any more, the time is over, or the signal aborts; the caller looks
 * which. A pending Atomics.waitAsync does not keep Node running, hence the timer.
 */
export async function wordMoves(
  words: Int32Array,
  word: number,
  seen: number,
  options: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options
  if (signal?.aborted) return
  const wait = Atomics.waitAsync(words, word, seen)
  if (!wait.async) return
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(timeoutMs, LONGEST_TIMER_MS))
    onAbort = () => resolve()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
  try {
    await Promise.race([wait.value, over])
  } finally {
    clearTimeout(timer)
    if (onAbort) signal?.removeEventListener('abort', onAbort)
  }
}
