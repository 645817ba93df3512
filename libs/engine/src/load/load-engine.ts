import { toStokerError } from '@stoker/spec'
import type { Engine, Log } from '../types.js'
import { nativeCandidates } from './candidates.js'
import { createNativeEngine, createWasmEngine } from './engines.js'
import { wasmReport } from './inspect-engine.js'
import { loadNative } from './native.js'
import { loadWasm } from './wasm.js'

export interface LoadOptions {
  /** `wasm` leaves native engines alone. */
  readonly use?: 'best' | 'wasm'
  /** Gets the notices; standard error when not given. */
  readonly notice?: Log
}

let loaded: Promise<Engine> | undefined

/**
 * The best engine here: the build of `installEngine`, an official install that loads, or WASM with a printed notice.
 * One engine a process, loaded once: later calls give the same one. Call it on the main thread.
 *
 * @throws NoEngine when not even WASM loads
 */
export function loadEngine(options: LoadOptions = {}): Promise<Engine> {
  loaded ??= load(options)
  return loaded
}

async function load({ use = 'best', notice = (line) => console.error(line) }: LoadOptions): Promise<Engine> {
  const why: string[] = []
  const { found, absent, fix } = nativeCandidates()
  if (use === 'wasm') why.push('WASM was asked for')
  else {
    for (const candidate of found) {
      try {
        return createNativeEngine(loadNative(candidate, why))
      } catch (error) {
        why.push(toStokerError(error).message)
      }
    }
    why.push(...absent)
  }
  const report = wasmReport(why, fix)
  notice(`stoker: no native TensorFlow (${why.join('; ')}): training runs on WASM, several times slower. Fix: ${fix}`)
  return createWasmEngine(await loadWasm(report, notice))
}
