import * as nodeModule from 'node:module'

type Next = (specifier: string, context: unknown) => unknown
interface SyncHooks {
  registerHooks?(hooks: { resolve(specifier: string, context: unknown, next: Next): unknown }): unknown
}

let isInstalled = false

/** Lets a module anywhere import `@stoker/spec` without installing it: it gets the copy that this command uses. */
export function installSpecHooks(): void {
  if (isInstalled) return
  isInstalled = true
  const own = { url: import.meta.resolve('@stoker/spec'), format: 'module', shortCircuit: true }
  const { registerHooks } = nodeModule as SyncHooks
  if (registerHooks) {
    registerHooks({ resolve: (name, context, next) => (name === '@stoker/spec' ? own : next(name, context)) })
    return
  }
  // Before Node 22.15 the hooks are a module of their own, on a thread of their own.
  const source = `const own = ${JSON.stringify(own)}
    export const resolve = (name, context, next) => (name === '@stoker/spec' ? own : next(name, context))`
  nodeModule.register(`data:text/javascript,${encodeURIComponent(source)}`)
}
