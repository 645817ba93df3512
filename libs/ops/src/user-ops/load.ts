import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerOp } from '@stoker/spec'
import { UserOpsModule } from '../error-table.js'
import { registerKernel } from '../kernel-of.js'
import { checkDefinition, declarationOf } from './declare.js'
import { type DefinedOp, isDefinedOp } from './define.js'
import { kernelFor } from './kernel.js'
import { offerImports } from './resolve.js'
import { type OpWatch, openOpWatch } from './watch.js'

export interface LoadedOp {
  readonly name: string
  readonly version: string
  /** Path of the module. */
  readonly module: string
}

export interface OpOptions {
  /** Most time of one call of an op, for one record or batch. */
  readonly timeoutMs?: number
}

export const OP_TIMEOUT_MS = 60_000

let watch: OpWatch | undefined

/** From now on says in shared memory which op this thread is in; see watch.ts. */
export function watchOps(buffer: SharedArrayBuffer | undefined): void {
  watch = buffer && openOpWatch(buffer)
}

/** Makes ops known to this thread, as loading the module that exports them does. */
export function useOps(
  ops: readonly DefinedOp[],
  version: string,
  { timeoutMs = OP_TIMEOUT_MS }: OpOptions = {},
): void {
  for (const op of ops) {
    checkDefinition(op)
    const own = op.version ?? version
    const declaration = declarationOf(op, own)
    registerOp(declaration, own)
    registerKernel(op.name, kernelFor(op, declaration, own, { timeoutMs, watch: () => watch }))
  }
}

/**
 * Loads modules of ops, each a path to an ES module that exports what `defineOp` made, alone or in lists. Every process
 * and thread that checks or runs chains loads the same modules.
 *
 * @throws UserOpsModule when a module cannot be read or imported, or exports no op; UserOpInvalid, OpNameWrong, OpNameTaken
 */
export async function loadOps(paths: readonly string[], options: OpOptions = {}): Promise<LoadedOp[]> {
  const loaded: LoadedOp[] = []
  for (const path of paths) {
    const file = isAbsolute(path) ? path : resolve(path)
    const { ops, version } = await readModule(file)
    useOps(ops, version, options)
    loaded.push(...ops.map((op) => ({ name: op.name, version: op.version ?? version, module: file })))
  }
  return loaded
}

async function readModule(file: string): Promise<{ ops: DefinedOp[]; version: string }> {
  offerImports()
  const failed = (error: unknown) =>
    UserOpsModule(file, error instanceof Error ? error.message : String(error)).with({ cause: error })
  let source: Buffer
  let exported: Readonly<Record<string, unknown>>
  try {
    source = await readFile(file)
    exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw failed(error)
  }
  const ops = [...new Set(Object.values(exported).flat())].filter(isDefinedOp)
  if (ops.length === 0) throw failed(new Error('it exports nothing that defineOp made'))
  return { ops, version: createHash('sha256').update(source).digest('hex').slice(0, 16) }
}
