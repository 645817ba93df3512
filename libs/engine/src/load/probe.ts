import { spawn } from 'node:child_process'
import { bindingPath } from '../install/engine-dir.js'

export interface Probed {
  /** Of libtensorflow. */
  readonly version: string
  /** Such as `CPU` or `NVIDIA H200`. */
  readonly device: string
}

const SCRIPT = `
const binding = require(process.argv[1])
console.log(JSON.stringify({ version: binding.TF_Version, isGpu: binding.isUsingGpuDevice() }))`

/** Loads an addon in a process of its own, so that a crash (a CPU without AVX, a foreign library) ends only that one. */
export function probeAddon(path: string): Promise<Probed | { readonly error: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ['-e', SCRIPT, path], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let log = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    child.once('error', (error) => done({ error: error.message }))
    child.once('close', (code, signal) => {
      if (code !== 0) {
        const reason = /^Error: (.+)$/m.exec(log)?.[1]
        return done({
          error: reason ?? `it ends with ${signal ?? `exit code ${code}`} ${log.trim().slice(-300)}`.trim(),
        })
      }
      const { version, isGpu } = JSON.parse(output) as { version: string; isGpu: boolean }
      done({ version, device: isGpu ? (gpuName(log) ?? 'GPU') : 'CPU' })
    })
  })
}

export const probeBinding = (dir: string): Promise<Probed | { readonly error: string }> => probeAddon(bindingPath(dir))

/** TensorFlow tells the name only in its log: `... device: 0, name: NVIDIA H200, pci bus id: ...`. */
const gpuName = (log: string): string | undefined => /device: \d+, name: ([^,]+), pci bus id/.exec(log)?.[1]
