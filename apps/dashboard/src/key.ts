/*
 * The API key lives as long as the tab, and goes to this server only, as a header. When a request finds that one is
 * asked for, or that the one there is not taken, the page asks for it; what then mounts anew, asks anew.
 */
const PLACE = 'stoker-key'

export const readKey = (): string | undefined => sessionStorage.getItem(PLACE) ?? undefined

/** Undefined: forget it. */
export function keepKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(PLACE)
  else sessionStorage.setItem(PLACE, key)
}

const listeners = new Set<() => void>()

/** Calls when a request was refused for want of a key. Returns how to stop. */
export function onKeyWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function wantKey(): void {
  for (const listener of listeners) listener()
}
