import type { BatchKernelOf, BatchOpName } from '../kernel.js'
import { cutmix, mixup } from './mix.js'

/** Every batch op: its kernel and one line here; an op without its kernel does not compile. */
export const BATCH_KERNELS = { mixup, cutmix } satisfies { readonly [Name in BatchOpName]: BatchKernelOf<Name> }
