import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type StokerError, toStokerError } from '@stoker/spec'
import { EngineNotBuilt } from '../error-table.js'
import { inspectEngine } from '../load/inspect-engine.js'
import { probeBinding } from '../load/probe.js'
import type { Device, EngineReport, Log } from '../types.js'
import { compileAddon, findCompiler } from './compile-addon.js'
import { engineDir, packageDir, TENSORFLOW_VERSION } from './engine-dir.js'
import { folderOnce } from './folder-once.js'
import { placeLibrary } from './library.js'
import { findPython, type Python } from './python.js'

export interface InstallOptions {
  readonly device: Device
  readonly log?: Log
}

/**
 * Builds the addon of @tensorflow/tfjs-node against the TensorFlow library of the PyPI wheel, once, into the cache
 * folder. Never throws for what the machine lacks: the report then says which engine serves instead, why, and which
 * command brings the native one. Safe to call from several processes at once.
 */
export async function installEngine({ device, log = () => {} }: InstallOptions): Promise<EngineReport> {
  try {
    const dir = await buildEngine(device, log)
    log(`engine ready in ${dir}`)
    return await inspectEngine()
  } catch (error) {
    const { message, remedy } = toStokerError(error)
    const report = await inspectEngine()
    return { ...report, why: [message, ...report.why], ...(remedy === undefined ? {} : { fix: remedy }) }
  }
}

/** Folder of the native engine, built when it is not there. @throws EngineNotBuilt with the command that helps */
export async function buildEngine(device: Device, log: Log): Promise<string> {
  return folderOnce(engineDir(device), async (workDir) => {
    const { compiler, python, sourceDir } = await needed(device)
    const origin = await placeLibrary(workDir, device, python, log).catch((error) => {
      throw failed('TensorFlow could not be fetched', error, 'check the network and `pip config list`, then try again')
    })
    log('compiling the addon')
    await compileAddon(compiler, sourceDir, workDir).catch((error) => {
      throw failed('the addon does not compile', error, 'install a C++17 compiler (`apt-get install g++`)')
    })
    const probe = await probeBinding(workDir)
    if ('error' in probe) throw EngineNotBuilt(`it was built and does not load: ${probe.error}`)
    await mkdir(workDir, { recursive: true })
    const facts = { device, tensorflow: TENSORFLOW_VERSION, origin, compiler, builtAt: new Date().toISOString() }
    await writeFile(join(workDir, 'engine.json'), `${JSON.stringify(facts, null, 2)}\n`)
  })
}

/** Removes the build of a device, so that the next install makes it anew. */
export async function removeEngine(device: Device): Promise<void> {
  await rm(engineDir(device), { recursive: true, force: true })
}

interface Needed {
  readonly compiler: string
  readonly python: Python
  readonly sourceDir: string
}

async function needed(device: Device): Promise<Needed> {
  const again = `then run \`stoker engine install --${device}\``
  const lacks = (what: string, remedy: string) => EngineNotBuilt(what).with({ remedy: `${remedy}, ${again}` })
  if (process.platform !== 'linux') throw lacks(`there is no recipe for ${process.platform}`, 'use a Linux machine')
  if (!hasGlibc()) throw lacks('TensorFlow needs glibc 2.27 or newer', 'use a Debian or Ubuntu image')
  const sourceDir = packageDir('@tensorflow/tfjs-node')
  if (!sourceDir) throw lacks('@tensorflow/tfjs-node is not installed', 'run `npm install --include=optional`')
  const compiler = await findCompiler()
  if (!compiler) throw lacks('there is no C++ compiler on the PATH', 'run `apt-get install g++`')
  const python = await findPython()
  if (!python) throw lacks('there is no python3 on the PATH', 'run `apt-get install python3 python3-pip`')
  if (!python.hasPip) throw lacks(`${python.program} has no pip`, 'run `apt-get install python3-pip`')
  return { compiler, python, sourceDir }
}

function hasGlibc(): boolean {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  const [major = 0, minor = 0] = (header?.glibcVersionRuntime ?? '').split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 27)
}

function failed(what: string, error: unknown, remedy: string): StokerError {
  const cause = toStokerError(error)
  return EngineNotBuilt(`${what}: ${cause.message}`).with({ cause, remedy })
}
