/** `Promise.all(items.map(action))` with at most `atOnce` actions running; stops starting new ones after a failure. */
export async function mapBounded<T, R>(
  items: readonly T[],
  atOnce: number,
  action: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const remaining = items.entries()
  let hasFailed = false
  const work = async () => {
    for (const [index, item] of remaining) {
      if (hasFailed) return
      try {
        results[index] = await action(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return results
}
