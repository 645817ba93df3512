import type { KernelOf, RecordOpName } from '../kernel.js'
import { cast } from './cast.js'
import { decodeJpeg } from './decode-jpeg.js'
import { decodePng } from './decode-png.js'
import { parseExample } from './parse-example.js'
import { resize } from './resize.js'
import { scale } from './scale.js'

/** Every record op: one file and one line here; an op without its kernel does not compile. */
export const KERNELS = { parseExample, decodeJpeg, decodePng, resize, cast, scale } satisfies {
  readonly [Name in RecordOpName]: KernelOf<Name>
}
