import { createRequire } from 'node:module'
import util from 'node:util'

export type Tf = typeof import('@tensorflow/tfjs')
export type Tensor = import('@tensorflow/tfjs').Tensor
export type Scalar = import('@tensorflow/tfjs').Scalar
export type Variable = import('@tensorflow/tfjs').Variable
export type LayersModel = import('@tensorflow/tfjs').LayersModel

export const require = createRequire(import.meta.url)

/**
 * TensorFlow.js, loaded when an engine is first asked for: importing this package costs nothing. Always the CommonJS
 * build, the one that tfjs-node's own `require` finds: two copies would not know each other's backends.
 */
export function requireTfjs(): Tf {
  const tf = require('@tensorflow/tfjs') as Tf
  // Leaves out checks of every argument and the advice to install tfjs-node.
  tf.enableProdMode()
  return tf
}

/** tfjs-node 4 calls functions of `util` that Node 22 warns about and Node 23 dropped. */
export function restoreUtil(): void {
  const target = util as unknown as Record<string, unknown>
  target.isNullOrUndefined = (value: unknown) => value === null || value === undefined
  target.isArray = Array.isArray
}

/** Frees what a gradient computation that threw had put aside; tfjs itself does so only when one succeeds. */
export function forgetTape(tf: Tf): void {
  const { state } = tf.engine() as unknown as { state: { activeTape: { saved?: Tensor[] }[] | null } }
  for (const { saved } of state.activeTape ?? []) for (const tensor of saved ?? []) tensor.dispose()
  state.activeTape = null
}
