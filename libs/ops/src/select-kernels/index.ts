import type { SelectKernelOf, SelectOpName } from '../kernel.js'
import { filter } from './filter.js'
import { unbatch } from './unbatch.js'

/** Every select op: one file and one line here; an op without its kernel does not compile. */
export const SELECT_KERNELS = { filter, unbatch } satisfies { readonly [Name in SelectOpName]: SelectKernelOf<Name> }
