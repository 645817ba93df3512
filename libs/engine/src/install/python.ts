import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, runTool, which } from '@stoker/services'

export interface Python {
  readonly program: string
  /** Such as `3.11`. */
  readonly version: string
  readonly hasPip: boolean
}

const FACTS = `
import importlib.util, json, sys
print(json.dumps({'version': '%d.%d' % sys.version_info[:2], 'hasPip': importlib.util.find_spec('pip') is not None}))`

/** The first Python 3 on the PATH, one with pip before one without. */
export async function findPython(): Promise<Python | undefined> {
  let withoutPip: Python | undefined
  for (const name of ['python3', 'python', '/usr/bin/python3']) {
    const program = name.startsWith('/') ? name : await which(name)
    if (!program) continue
    const facts = await factsOf<Omit<Python, 'program'>>(program, FACTS)
    if (!facts?.version.startsWith('3.')) continue
    if (facts.hasPip) return { program, ...facts }
    withoutPip ??= { program, ...facts }
  }
  return withoutPip
}

/** A Python environment that has TensorFlow. */
export interface TensorflowEnvironment {
  readonly python: string
  /** `tensorflow-cpu` or `tensorflow`. */
  readonly distribution: string
  readonly version: string
  /** Folder of the package: holds libtensorflow_cc.so.2 and include/. */
  readonly dir: string
}

// Looks the package up without importing it: that would take seconds.
const FIND_TENSORFLOW = `
import importlib.metadata, importlib.util, json, os
spec = importlib.util.find_spec('tensorflow')
found = None
for name in ('tensorflow-cpu', 'tensorflow'):
    try:
        found = {'distribution': name, 'version': importlib.metadata.version(name), 'dir': os.path.dirname(spec.origin)}
        break
    except Exception:
        pass
print(json.dumps(found))`

/** Environments with TensorFlow: the Python on the PATH, and the virtual environments in the cache folder. */
export async function tensorflowEnvironments(): Promise<TensorflowEnvironment[]> {
  const cached = await readdir(cacheDir()).catch(() => [])
  const named = [await which('python3'), await which('python'), ...cached.map((name) => venvPython(name))]
  const found: TensorflowEnvironment[] = []
  for (const python of new Set(named)) {
    if (!python) continue
    const facts = await factsOf<Omit<TensorflowEnvironment, 'python'> | null>(python, FIND_TENSORFLOW)
    if (facts && !found.some(({ dir }) => dir === facts.dir)) found.push({ python, ...facts })
  }
  return found
}

/** Python of a virtual environment in the cache folder. */
export const venvPython = (name: string): string => join(cacheDir(), name, 'bin', 'python')

async function factsOf<T>(program: string, script: string): Promise<T | undefined> {
  try {
    return JSON.parse(await runTool(program, ['-c', script])) as T
  } catch {
    return undefined
  }
}
