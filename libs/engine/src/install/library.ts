import { existsSync } from 'node:fs'
import { copyFile, cp, link, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runTool } from '@stoker/services'
import { EngineNotBuilt } from '../error-table.js'
import type { Device, Log } from '../types.js'
import { TENSORFLOW_VERSION } from './engine-dir.js'
import { type Python, type TensorflowEnvironment, tensorflowEnvironments } from './python.js'

const LIBRARIES = ['libtensorflow_cc.so.2', 'libtensorflow_framework.so.2']
const HEADERS = ['tensorflow/c', 'tensorflow/core/platform', 'tsl/platform', 'xla/tsl/c']
// Bytes of a wheel to download: for the message only.
const WHEEL_MB = { cpu: 274, cuda: 572 }

/**
 * Fills `<dir>/deps` with TensorFlow's shared libraries and C headers (and CUDA's, for that device): out of a Python
 * environment that has the very version, else out of the PyPI wheel. Returns where they came from.
 */
export async function placeLibrary(dir: string, device: Device, python: Python, log: Log): Promise<string> {
  const environment = (await tensorflowEnvironments()).find((one) => serves(one, device))
  if (environment) {
    log(`taking TensorFlow ${environment.version} from ${environment.dir}`)
    await placePackage(dir, environment.dir)
    if (device === 'cuda') await placeCuda(dir, join(environment.dir, '..', 'nvidia'))
    return environment.dir
  }
  const distribution = tensorflowPackage(device)
  const wheelDir = join(dir, 'wheel')
  log(`downloading the wheel ${distribution} ${TENSORFLOW_VERSION} (${WHEEL_MB[device]} MB)`)
  const wheel = await downloadWheel(python, `${distribution}==${TENSORFLOW_VERSION}`, wheelDir)
  const unpacked = join(dir, 'unpacked')
  await runTool(python.program, [
    '-c',
    UNPACK,
    wheel,
    unpacked,
    ...LIBRARIES,
    ...HEADERS.map((one) => `include/${one}`),
  ])
  await rm(wheelDir, { recursive: true })
  await placePackage(dir, join(unpacked, 'tensorflow'))
  if (device === 'cuda') {
    const packages = (await runTool(python.program, ['-c', CUDA_PACKAGES, unpacked])).trim().split('\n')
    log(`downloading CUDA 12: ${packages.length} packages, about 3 GB`)
    const target = join(dir, 'cuda')
    await pip(python, ['install', '--no-deps', '--no-compile', '--only-binary=:all:', '--target', target, ...packages])
    await placeCuda(dir, join(target, 'nvidia'))
    await rm(target, { recursive: true })
  }
  await rm(unpacked, { recursive: true })
  return `${distribution} ${TENSORFLOW_VERSION} of PyPI`
}

/** There is no tensorflow-cpu wheel for 64-bit Arm, and the plain one has no CUDA in it there. */
export const tensorflowPackage = (device: Device): string =>
  device === 'cuda' || process.arch !== 'x64' ? 'tensorflow' : 'tensorflow-cpu'

const serves = ({ version, distribution, dir }: TensorflowEnvironment, device: Device): boolean =>
  version === TENSORFLOW_VERSION &&
  (device === 'cpu' || (distribution === 'tensorflow' && existsSync(join(dir, '..', 'nvidia', 'cudnn'))))

/** The wheel for any Python holds the same library: where there is none for this Python, that of 3.11 is taken. */
async function downloadWheel(python: Python, requirement: string, target: string): Promise<string> {
  const args = ['download', '--no-deps', '--only-binary=:all:', '--dest', target, requirement]
  const foreign = ['--python-version', '3.11', '--implementation', 'cp', '--abi', 'cp311']
  await pip(python, args).catch(() => pip(python, [...args, ...foreign]))
  const [wheel] = (await readdir(target)).filter((name) => name.endsWith('.whl'))
  if (!wheel) throw EngineNotBuilt(`pip downloaded no wheel for ${requirement}`)
  return join(target, wheel)
}

const pip = (python: Python, args: readonly string[]): Promise<string> =>
  runTool(python.program, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args])

async function placePackage(dir: string, packageFolder: string): Promise<void> {
  const lib = join(dir, 'deps', 'lib')
  await mkdir(lib, { recursive: true })
  for (const name of LIBRARIES) await linkOrCopy(join(packageFolder, name), join(lib, name))
  // The names that the linker looks for.
  await symlink('libtensorflow_cc.so.2', join(lib, 'libtensorflow.so'))
  await symlink('libtensorflow_framework.so.2', join(lib, 'libtensorflow_framework.so'))
  for (const name of HEADERS) {
    await cp(join(packageFolder, 'include', name), join(dir, 'deps', 'include', name), { recursive: true })
  }
}

/** TensorFlow looks for CUDA in `../nvidia/<package>/lib`, seen from its own folder. */
async function placeCuda(dir: string, source: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.py')) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(dir, 'deps', 'nvidia', from.slice(source.length))
    await mkdir(dirname(to), { recursive: true })
    await linkOrCopy(from, to)
  }
}

/** A hard link costs no space, and stays whole when the other name is removed. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}

const UNPACK = `
import os, sys, zipfile
wheel, target, *wanted = sys.argv[1:]
paths = ['tensorflow/' + name for name in wanted]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.endswith('.dist-info/METADATA') or any(name == p or name.startswith(p + '/') for p in paths):
            archive.extract(name, target)`

const CUDA_PACKAGES = `
import email.parser, glob, sys
with open(glob.glob(sys.argv[1] + '/*.dist-info/METADATA')[0], encoding='utf-8') as file:
    for line in email.parser.HeaderParser().parse(file).get_all('Requires-Dist'):
        requirement, _, condition = line.partition(';')
        if 'and-cuda' in condition:
            print(requirement.strip().replace(' ', ''))`
