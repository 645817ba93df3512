import { BadSize } from './error-table.js'

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

/**
 * A size in bytes from a whole number or a text such as `256MiB`.
 * @throws BadSize for anything else.
 */
export function parseBytes(size: number | string): number {
  if (typeof size === 'number') {
    if (Number.isSafeInteger(size) && size > 0) return size
    throw BadSize(size)
  }
  const match = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]iB|B|)\s*$/.exec(size)
  const bytes = match ? Math.floor(Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN)) : Number.NaN
  if (!Number.isSafeInteger(bytes) || bytes <= 0) throw BadSize(JSON.stringify(size))
  return bytes
}

/** A size as a person reads it: `4.6 MiB`. */
export function formatBytes(bytes: number): string {
  const unit = ['TiB', 'GiB', 'MiB', 'KiB'].find((name) => bytes >= (UNITS[name] ?? Number.POSITIVE_INFINITY))
  if (!unit) return `${bytes} B`
  return `${(bytes / (UNITS[unit] ?? 1)).toFixed(1).replace(/\.0$/, '')} ${unit}`
}
