import { type ErrorView, type Finding, type Place, toStokerError } from '@stoker/spec'

/** An error for people: code, what, where, what to do. Never a stack. */
export function errorText(error: unknown): string {
  return viewText(toStokerError(error).toJSON())
}

type Told = Pick<ErrorView, 'code' | 'message' | 'place' | 'remedy'>

export function viewText({ code, message, place, remedy }: Told, level: Finding['level'] = 'error'): string {
  const at = place ? placeText(place) : ''
  return [
    `${level} ${code}: ${withoutPath(message, place)}`,
    ...(at ? [`  at:     ${at}`] : []),
    ...(remedy ? [`  remedy: ${remedy}`] : []),
  ].join('\n')
}

/** What the lint says, laid out as an error. */
export const findingText = ({ level, code, path, message, fix }: Finding): string =>
  viewText({ code, message, ...(path === '' ? {} : { place: { path } }), remedy: fix }, level)

/** The path has a line of its own. */
function withoutPath(message: string, { path }: Place = {}): string {
  return path !== undefined && message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message
}

const PARTS = ['shard', 'record', 'offset', 'op', 'field', 'epoch', 'batch'] as const

export function placeText(place: Place): string {
  const parts = PARTS.flatMap((part) => (place[part] === undefined ? [] : [`${part} ${place[part]}`]))
  return [...(place.path === undefined ? [] : [place.path]), ...parts].join(', ')
}
