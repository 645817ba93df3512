import { type ErrorView, type Finding, type Place, toStokerError } from '@stoker/spec'

/** An error for people: code, what, where, what to do. Never a stack. */
export function errorText(error: unknown): string {
  return viewText(toStokerError(error).toJSON())
}

export function viewText({ code, message, place, remedy }: ErrorView): string {
  const at = place ? placeText(place) : ''
  return [
    `error ${code}: ${message}`,
    ...(at ? [`  at:     ${at}`] : []),
    ...(remedy ? [`  remedy: ${remedy}`] : []),
  ].join('\n')
}

const PARTS = ['path', 'shard', 'record', 'offset', 'op', 'field', 'epoch', 'batch'] as const

export function placeText(place: Place): string {
  return PARTS.flatMap((part) => (place[part] === undefined ? [] : [`${part} ${place[part]}`])).join(', ')
}

export const findingText = ({ level, code, path, message, fix }: Finding): string =>
  `${level} ${code} at ${path}: ${message}\n  fix: ${fix}`
