import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { cacheDir } from '@stoker/services'
import type { Device } from '../types.js'

/** Of the PyPI wheel that the shared library comes from. */
export const TENSORFLOW_VERSION = '2.21.0'
/** Part of the folder's name: changes when the way of building does, so that old builds are left alone. */
const RECIPE = 1

const require = createRequire(import.meta.url)

/** `STOKER_ENGINE_DIR`, else `engine` in the cache folder: outside node_modules, so a build survives `npm ci`. */
export function enginesDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env.STOKER_ENGINE_DIR ? resolve(env.STOKER_ENGINE_DIR) : join(cacheDir(env), 'engine')
}

/**
 * Folder of one build. It is there whole or not at all:
 *
 *     lib/napi-v8/tfjs_binding.node                                      the addon; its RPATH is ../../deps/lib
 *     deps/lib/libtensorflow_cc.so.2, libtensorflow_framework.so.2, libtensorflow.so, libtensorflow_framework.so
 *     deps/include/...                                                   the headers of TensorFlow's C API
 *     deps/nvidia/<package>/lib/...                                      CUDA only: where TensorFlow's RUNPATH looks
 *     engine.json                                                        what it was made from
 */
export function engineDir(device: Device): string {
  const { platform, arch } = process
  return join(enginesDir(), `${device}-tf${TENSORFLOW_VERSION}-tfjs${tfjsNodeVersion()}-${platform}-${arch}-r${RECIPE}`)
}

export const bindingPath = (dir: string): string => join(dir, 'lib', 'napi-v8', 'tfjs_binding.node')

/** Folder of an installed npm package; undefined when it was left out, as optional ones may be. */
export function packageDir(name: string): string | undefined {
  try {
    return resolve(require.resolve(`${name}/package.json`), '..')
  } catch {
    return undefined
  }
}

export function packageVersion(name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version: string }).version
  } catch {
    return undefined
  }
}

/** The version that this package pins, where none is installed. */
const tfjsNodeVersion = (): string => packageVersion('@tensorflow/tfjs-node') ?? '4.22.0'
