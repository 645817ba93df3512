import { existsSync } from 'node:fs'
import { bindingPath, engineDir, packageDir, packageVersion } from '../install/engine-dir.js'

/** A native engine that is on this machine; whether it loads is another matter. */
export interface Candidate {
  readonly what: string
  /** npm package whose JavaScript drives the addon. */
  readonly package: string
  /** Path of the addon. */
  readonly addon: string
  /** Folder of a build in the cache. */
  readonly dir?: string
}

export interface Candidates {
  /** In the order of choice. */
  readonly found: readonly Candidate[]
  /** One sentence for each that is not there. */
  readonly absent: readonly string[]
  /** The command that brings a native engine. */
  readonly fix: string
}

const JS_PACKAGES = ['@tensorflow/tfjs-node', '@tensorflow/tfjs-node-gpu'] as const

/**
 * The native engines here: the builds of `installEngine`, then official installs (whose own script fetched a library).
 * With an NVIDIA device the CUDA build comes first; without one it would compute on the CPU, so the CPU build does.
 */
export function nativeCandidates(): Candidates {
  const hasGpu = ['/dev/nvidiactl', '/dev/dxg'].some((path) => existsSync(path))
  const devices = hasGpu ? (['cuda', 'cpu'] as const) : (['cpu', 'cuda'] as const)
  const fix = `stoker engine install --${hasGpu ? 'cuda' : 'cpu'}`
  const js = JS_PACKAGES.find((name) => packageDir(name))
  if (!js) {
    const absent = ['neither @tensorflow/tfjs-node nor @tensorflow/tfjs-node-gpu is installed']
    return { found: [], absent, fix: `npm install --include=optional && ${fix}` }
  }
  const found: Candidate[] = []
  const absent: string[] = []
  for (const device of devices) {
    const dir = engineDir(device)
    if (existsSync(bindingPath(dir))) {
      found.push({ what: `the ${device} build in ${dir}`, package: js, addon: bindingPath(dir), dir })
    } else absent.push(`there is no ${device} build in ${dir}`)
  }
  for (const name of hasGpu ? [...JS_PACKAGES].reverse() : JS_PACKAGES) {
    const dir = packageDir(name)
    const addon = dir ? bindingPath(dir) : undefined
    if (addon && existsSync(addon)) {
      found.push({ what: `the official install of ${name} ${packageVersion(name)}`, package: name, addon })
    } else absent.push(`${name} has no addon of its own (install scripts never run here)`)
  }
  return { found, absent, fix }
}
