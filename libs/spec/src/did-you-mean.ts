/** The known name that a misspelt one most likely means; undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (!best || distance < best.distance) best = { name: candidate, distance }
  }
  // About one slip in three letters; a short name is allowed one.
  return best && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.name : undefined
}

/** `did you mean "decodeJpeg"? ops: ...`, or the list alone when no name is near. */
export function suggestion(name: string, known: readonly string[], what: string): string {
  const near = nearest(name, known)
  return `${near === undefined ? '' : `did you mean "${near}"? `}${what}: ${known.join(', ')}`
}

/** Insertions, removals, replacements and swaps of neighbours that lead from one text to the other. */
function editDistance(from: string, to: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      next[j] = Math.min(
        (row?.[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, row] = [row, next]
  }
  return row?.[to.length] ?? 0
}
