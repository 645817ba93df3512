import { EngineBroken } from '../error-table.js'
import type { EngineReport } from '../types.js'
import type { Candidate } from './candidates.js'
import { require, requireTfjs, restoreUtil, type Tensor, type Tf } from './tfjs.js'

/** A tensor that the addon made. */
export interface Made {
  readonly id: number
  readonly shape: number[]
  /** As `TF_FLOAT` and its like. */
  readonly dtype: number
}

export interface OpAttribute {
  readonly name: string
  readonly type: number
  readonly value: boolean | number | object | string | number[]
}

/** What the addon of tfjs-node offers. Tensors are named by ids, and live until `deleteTensor`. */
export interface Binding {
  /** @NOTE Shares the memory of `data` where it lies on 64 bytes: it must stay as it is while the tensor lives. */
  createTensor(
    shape: readonly number[],
    dtype: number,
    data: Float32Array | Int32Array | Uint8Array | Uint8Array[],
  ): number
  deleteTensor(id: number): void
  /** A copy. */
  tensorDataSync(id: number): Float32Array | Int32Array | Uint8Array
  executeOp(name: string, attributes: readonly OpAttribute[], inputs: readonly number[], outputs: number): Made[]
  loadSavedModel(dir: string, tags: string): number
  deleteSavedModel(session: number): void
  runSavedModel(session: number, inputs: readonly number[], inputNames: string, outputNames: string): Made[]
  isUsingGpuDevice(): boolean
  getNumOfTensors(): number
  readonly TF_FLOAT: number
  readonly TF_INT32: number
  readonly TF_INT64: number
  readonly TF_BOOL: number
  readonly TF_UINT8: number
  readonly TF_STRING: number
  readonly TF_RESOURCE: number
  readonly TF_ATTR_STRING: number
  readonly TF_ATTR_BOOL: number
  readonly TF_ATTR_TYPE: number
  readonly TF_ATTR_SHAPE: number
  readonly TF_Version: string
}

/** The parts of tfjs-node's backend that Stoker reaches into to skip copies. */
export interface NativeBackend {
  readonly binding: Binding
  readonly tensorMap: { get(dataId: object): { id: number; values: unknown } }
  createOutputTensor(made: Made): Tensor
  getInputTensorIds(tensors: readonly Tensor[]): number[]
}

export interface Native {
  readonly tf: Tf
  readonly binding: Binding
  readonly backend: NativeBackend
  readonly report: EngineReport
}

const BACKEND = 'tensorflow'

/**
 * Loads the addon into this process and makes it the backend of tfjs. The JavaScript comes from node_modules, the addon
 * from wherever it was built: so nothing is ever written into node_modules. Call it on the main thread only.
 *
 * @throws EngineBroken
 */
export function loadNative(candidate: Candidate, why: readonly string[]): Native {
  restoreUtil()
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '1'
  // Only our own build keeps signals away from oneDNN's matrix product (native/signal-guard.h): others must not use it.
  if (!candidate.dir) process.env.TENSORFLOW_USE_CUSTOM_CONTRACTION_KERNEL ??= '0'
  try {
    const tf = requireTfjs()
    require(`${candidate.package}/dist/register_all_kernels`)
    const { NodeJSKernelBackend } = require(`${candidate.package}/dist/nodejs_kernel_backend`) as {
      NodeJSKernelBackend: new (
        binding: Binding,
        packageName: string,
      ) => NativeBackend & import('@tensorflow/tfjs').KernelBackend
    }
    const binding = require(candidate.addon) as Binding
    const backend = new NodeJSKernelBackend(binding, candidate.package)
    tf.registerBackend(BACKEND, () => backend, 3)
    if (!tf.setBackend(BACKEND)) throw new Error('tfjs refuses the backend')
    const device = binding.isUsingGpuDevice() ? 'GPU' : 'CPU'
    const report: EngineReport = {
      kind: 'native',
      package: candidate.package,
      version: binding.TF_Version,
      device,
      ...(candidate.dir ? { dir: candidate.dir } : {}),
      why: [...why, `${candidate.what} loads and computes on ${device}`],
    }
    return { tf, binding, backend, report }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw EngineBroken(candidate.addon, reason).with({ cause: error })
  }
}
