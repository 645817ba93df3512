import type { TSchema } from 'typebox'
import type { OpDeclaration } from '../declare.js'
import { OpNameTaken, OpNameWrong } from '../error-table.js'
import { tagged } from '../tagged.js'
import { OPS } from './index.js'

/** An op of which only its name is known: parameters are checked against `params` before they reach `infer`. */
export type AnyOp = OpDeclaration<string, TSchema, readonly unknown[]>

/** Ops of a user's own have a dot in their name, so none ever clashes with an op of Stoker's. */
export type UserOpName = `${string}.${string}`

/** The parameter of a user's op that says which version of it a chain was made with; set when the spec is checked. */
export const OP_VERSION = 'opVersion'

const USER_OP = /^[a-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)+$/

// The parameter types of a row differ from row to row; a caller validates against `params` first.
const BUILT_IN: ReadonlyMap<string, AnyOp> = new Map(
  Object.values(OPS).map((declaration) => [declaration.name, declaration as unknown as AnyOp]),
)
const userOps = new Map<string, { readonly declaration: AnyOp; readonly version: string }>()

/** JSON schemas of all stages; those of ops that are registered later are added, and PipelineSchema shows them. */
export const stageAlternatives: object[] = Object.values(OPS).map((declaration) => tagged('op', declaration))

/** The declaration of an op by its name, a user's own included. */
export function opDeclaration(name: string): AnyOp | undefined {
  return BUILT_IN.get(name) ?? userOps.get(name)?.declaration
}

/** Every op there is. */
export function listOps(): readonly AnyOp[] {
  return [...BUILT_IN.values(), ...[...userOps.values()].map(({ declaration }) => declaration)]
}

/**
 * Makes an op of a user's own known to this process. Doing it twice with one version changes nothing.
 *
 * @param version tells what the op computes: equal versions must mean equal results
 * @throws OpNameWrong for a name without a dot, OpNameTaken for a name with another version
 */
export function registerOp(declaration: AnyOp, version: string): void {
  const { name } = declaration
  if (!USER_OP.test(name)) throw OpNameWrong(name)
  const known = userOps.get(name)
  if (known && known.version !== version) throw OpNameTaken(name)
  if (known) return
  userOps.set(name, { declaration, version })
  stageAlternatives.push(tagged('op', declaration))
}
