import type { App } from '../app-type.js'

/** The methods of each route, to tell a wrong method from a wrong address. */
export class KnownMethods {
  readonly #routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()

  /** Learns of every route declared after it. Routes that match any address are no help and are left out. */
  static of(app: App): KnownMethods {
    const known = new KnownMethods()
    app.addHook('onRoute', ({ url, method }) => {
      if (!url.includes('*')) known.#add(url, [method].flat())
    })
    return known
  }

  /** Methods that the address takes, sorted; none when there is no such address. */
  at(path: string): string[] {
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }

  #add(url: string, methods: readonly string[]): void {
    const source = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')
    const route = this.#routes.get(url) ?? { pattern: new RegExp(`^${source}$`), methods: new Set<string>() }
    for (const method of methods) route.methods.add(method)
    this.#routes.set(url, route)
  }
}
