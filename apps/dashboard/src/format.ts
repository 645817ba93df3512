const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}

export function secondsText(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

export const percentText = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
export const countText = (count: number): string => count.toLocaleString('en')
/** `1 epoch`, `2 batches`. */
export const countedText = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`
export const timeText = (iso: string): string => new Date(iso).toLocaleString()
export const millisText = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
