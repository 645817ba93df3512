import { packageVersion } from '../install/engine-dir.js'
import type { EngineReport } from '../types.js'
import { nativeCandidates } from './candidates.js'
import { probeAddon } from './probe.js'

/** Which engine would load, and why. Tries the native ones in processes of their own; this one stays without. */
export async function inspectEngine(): Promise<EngineReport> {
  const { found, absent, fix } = nativeCandidates()
  const why: string[] = []
  for (const candidate of found) {
    const probed = await probeAddon(candidate.addon)
    if ('error' in probed) {
      why.push(`${candidate.what} does not load: ${probed.error}`)
      continue
    }
    const { version, device } = probed
    why.push(`${candidate.what} loads and computes on ${device}`)
    const { package: name, dir } = candidate
    return { kind: 'native', package: name, version, device, ...(dir ? { dir } : {}), why }
  }
  return wasmReport([...why, ...absent], fix)
}

export function wasmReport(why: readonly string[], fix: string): EngineReport {
  const name = '@tensorflow/tfjs-backend-wasm'
  const version = packageVersion(name) ?? 'unknown'
  const last = 'so models of kind layers train on WASM, and models of kind savedModel do not run'
  return { kind: 'wasm', package: name, version, device: 'CPU (WASM)', why: [...why, last], fix }
}
