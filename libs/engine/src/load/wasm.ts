import { dirname } from 'node:path'
import { NoEngine } from '../error-table.js'
import type { EngineReport, Log } from '../types.js'
import { lendCpuKernels } from './cpu-kernels.js'
import { registerSegmentSum } from './segment-sum.js'
import { require, requireTfjs, type Tf } from './tfjs.js'

export interface Wasm {
  readonly tf: Tf
  readonly report: EngineReport
}

/** Makes WASM the backend of tfjs, with the CPU backend's kernels where it has none. @throws NoEngine */
export async function loadWasm(report: EngineReport, notice: Log): Promise<Wasm> {
  try {
    const tf = requireTfjs()
    const { setWasmPaths } = require('@tensorflow/tfjs-backend-wasm') as { setWasmPaths(folder: string): void }
    setWasmPaths(`${dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`)
    if (!(await tf.setBackend('wasm'))) throw new Error('tfjs refuses the WASM backend')
    await tf.ready()
    registerSegmentSum(tf)
    lendCpuKernels(tf, (kernel) => notice(`stoker: WASM has no ${kernel}; the plain JavaScript kernel serves, slowly`))
    return { tf, report }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw NoEngine([...report.why, `WASM: ${reason}`].join('; ')).with({ cause: error })
  }
}
