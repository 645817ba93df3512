import * as nodeModule from 'node:module'

type Next = (specifier: string, context: unknown) => unknown
interface SyncHooks {
  registerHooks?(hooks: { resolve(specifier: string, context: unknown, next: Next): unknown }): unknown
}

/** What a module of ops may import without installing it. */
const OFFERED = ['@stoker/ops', '@stoker/spec', 'typebox'] as const

let isInstalled = false

/** Lets a module anywhere import what ops are made with: it gets the copies that this process uses. */
export function offerImports(): void {
  if (isInstalled) return
  isInstalled = true
  const own = Object.fromEntries(OFFERED.map((name) => [name, import.meta.resolve(name)]))
  const found = (name: string) => {
    const url = Object.hasOwn(own, name) ? own[name] : undefined
    return url === undefined ? undefined : { url, format: 'module', shortCircuit: true }
  }
  const { registerHooks } = nodeModule as SyncHooks
  if (registerHooks) {
    registerHooks({ resolve: (name, context, next) => found(name) ?? next(name, context) })
    return
  }
  // Before Node 22.15 the hooks are a module of their own, on a thread of their own.
  const source = `const own = ${JSON.stringify(own)}
    export const resolve = (name, context, next) =>
      Object.hasOwn(own, name) ? { url: own[name], format: 'module', shortCircuit: true } : next(name, context)`
  nodeModule.register(`data:text/javascript,${encodeURIComponent(source)}`)
}
