import type { BatchKernelOf, BatchOpName } from '../kernel.js'

/** Every batch op: one file and one line here; an op without its kernel does not compile. */
export const BATCH_KERNELS = {} satisfies { readonly [Name in BatchOpName]: BatchKernelOf<Name> }
