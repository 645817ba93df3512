import { BATCH_KERNELS } from './batch-kernels/index.js'
import type { BatchKernel, Kernel, SelectKernel } from './kernel.js'
import { KERNELS } from './kernels/index.js'
import { SELECT_KERNELS } from './select-kernels/index.js'

/** The kernel of an op, by the kind of its declaration; `compile` takes parameters that were checked before. */
export type CompiledKernel =
  | { readonly kind: 'record'; readonly compile: Kernel<object> }
  | { readonly kind: 'select'; readonly compile: SelectKernel<object> }
  | { readonly kind: 'batch'; readonly compile: BatchKernel<object> }

const table = <K extends CompiledKernel['kind']>(kind: K, kernels: Readonly<Record<string, unknown>>) =>
  Object.entries(kernels).map(([name, compile]) => [name, { kind, compile } as unknown as CompiledKernel] as const)

const kernels = new Map<string, CompiledKernel>([
  ...table('record', KERNELS),
  ...table('select', SELECT_KERNELS),
  ...table('batch', BATCH_KERNELS),
])

/** The kernel of an op by its name; undefined for `order` ops and for names that nobody knows. */
export function kernelOf(name: string): CompiledKernel | undefined {
  return kernels.get(name)
}

/** Adds the kernel of an op of a user's own, whose name the spec has found to be free. */
export function registerKernel(name: string, kernel: CompiledKernel): void {
  kernels.set(name, kernel)
}
