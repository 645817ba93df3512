import { jsonPath } from '@stoker/spec'

/** Path of the first property that could reach a prototype: `__proto__`, or `prototype` of a `constructor`. */
export function forbiddenProperty(value: unknown, pointer = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, held] of Object.entries(value)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (name === '__proto__') return jsonPath('', at)
    const reachesPrototype = typeof held === 'object' && held !== null && Object.hasOwn(held, 'prototype')
    if (name === 'constructor' && reachesPrototype) return jsonPath('', `${at}/prototype`)
    const below = forbiddenProperty(held, at)
    if (below !== undefined) return below
  }
  return undefined
}
