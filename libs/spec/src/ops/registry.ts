import type { TSchema } from 'typebox'
import type { OpDeclaration } from '../declare.js'
import { OPS } from './index.js'

/** An op of which only its name is known: parameters are checked against `params` before they reach `infer`. */
export type AnyOp = OpDeclaration<string, TSchema, readonly unknown[]>

// The parameter types of a row differ from row to row; a caller validates against `params` first.
const BUILT_IN: ReadonlyMap<string, AnyOp> = new Map(
  Object.values(OPS).map((declaration) => [declaration.name, declaration as unknown as AnyOp]),
)

/** The declaration of an op by its name. */
export function opDeclaration(name: string): AnyOp | undefined {
  return BUILT_IN.get(name)
}

/** Every op there is. */
export function listOps(): readonly AnyOp[] {
  return [...BUILT_IN.values()]
}
