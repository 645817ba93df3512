import { createHash } from 'node:crypto'

/** JSON with object keys in code-unit order: one text for one meaning. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) => {
    if (held === null || typeof held !== 'object' || Array.isArray(held)) return held
    return Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}

/** SHA-256 of the canonical JSON, in hexadecimal. */
export const hashJson = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')
