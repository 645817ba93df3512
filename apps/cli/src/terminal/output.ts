/** Where a command writes: results to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean
  /** One JSON line with --json, else the text. */
  result(value: unknown, text: string): void
  /** A line for people, on stderr; silent with --json. */
  note(text: string): void
  /** A line for people, on stderr, also with --json: what went wrong or what is unusual. */
  warn(text: string): void
}

export function createOutput(json: boolean): Output {
  return {
    json,
    result: (value, text) => {
      process.stdout.write(`${json ? JSON.stringify(value) : text}\n`)
    },
    note: (text) => {
      if (!json) process.stderr.write(`${text}\n`)
    },
    warn: (text) => {
      process.stderr.write(`${text}\n`)
    },
  }
}

/** Rows as text with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length)
    })
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
