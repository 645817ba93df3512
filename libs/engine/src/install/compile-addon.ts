import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTool, which } from '@stoker/services'
import { bindingPath } from './engine-dir.js'

const GUARD = fileURLToPath(new URL('../../native/signal-guard.h', import.meta.url))
const COMPILERS = ['c++', 'g++', 'clang++']

export async function findCompiler(env = process.env): Promise<string | undefined> {
  if (env.CXX) return (await which(env.CXX)) ?? env.CXX
  for (const name of COMPILERS) {
    const found = await which(name)
    if (found) return found
  }
  return undefined
}

/**
 * Compiles the addon of @tensorflow/tfjs-node, its sources unchanged, against `<dir>/deps`. It is two C++ files that use
 * Node-API only, so one compiler call with the headers of the npm package node-api-headers does it: no node-gyp, make or
 * headers of the running Node are needed, and the result serves every Node version.
 */
export async function compileAddon(compiler: string, sourceDir: string, dir: string): Promise<void> {
  const { include_dir: nodeHeaders } = createRequire(import.meta.url)('node-api-headers') as { include_dir: string }
  const target = bindingPath(dir)
  await mkdir(dirname(target), { recursive: true })
  await runTool(compiler, [
    ...['-std=c++17', '-O2', '-fPIC', '-shared', '-DNAPI_VERSION=8', '-include', GUARD],
    ...[`-I${nodeHeaders}`, `-I${join(dir, 'deps', 'include')}`],
    ...['tfjs_backend.cc', 'tfjs_binding.cc'].map((name) => join(sourceDir, 'binding', name)),
    ...['-o', target, `-L${join(dir, 'deps', 'lib')}`, '-ltensorflow', '-ltensorflow_framework'],
    '-Wl,-rpath,$ORIGIN/../../deps/lib',
  ])
}
