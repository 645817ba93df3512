/** What the doctor says about one thing. */
export interface Check {
  readonly name: string
  /** `missing` stops something that the user wants; `absent` has a fallback. */
  readonly status: 'ok' | 'absent' | 'missing'
  readonly detail: string
  /** The command that brings it. */
  readonly fix?: string
}

/** `ok` with what was found, or `otherwise` when nothing was. */
export const found = (name: string, what: string | undefined, otherwise: Omit<Check, 'name'>): Check =>
  what === undefined ? { name, ...otherwise } : { name, status: 'ok', detail: what }
