import type { ApiKey, Scope } from '@stoker/settings'

/** Who asks: a key, or, where no keys are set, anybody on this machine. */
export interface Caller {
  readonly name: string
  readonly scopes: readonly Scope[]
}

/** What a route asks of its caller: a scope, any key at all, or nothing. A route that does not say asks for `admin`. */
export type Access = Scope | 'any key' | 'open'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Undefined where no key, or none that is known, came with the request. */
    caller: Caller | undefined
  }
}

/** Without keys the server is on loopback only, where everybody may do everything. */
export const ANYBODY: Caller = { name: 'anybody', scopes: ['admin'] }

export const toCaller = ({ name, scopes }: ApiKey): Caller => ({ name, scopes })

export const may = ({ scopes }: Caller, access: Access): boolean =>
  access === 'open' || access === 'any key' || scopes.includes('admin') || scopes.includes(access)
