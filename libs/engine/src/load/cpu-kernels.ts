import type { Tf } from './tfjs.js'

type TensorInfo = import('@tensorflow/tfjs').TensorInfo
type NamedTensorInfoMap = import('@tensorflow/tfjs').NamedTensorInfoMap

/** The part of a tfjs backend that moves values. */
interface Values {
  readSync(dataId: object): import('@tensorflow/tfjs').BackendValues
  write(values: unknown, shape: number[], dtype: string): object
  disposeData(dataId: object, force?: boolean): boolean
}

/**
 * Registers the CPU backend's kernel for every operation that the WASM backend lacks (it has hardly any gradients of
 * convolution and pooling), with values copied there and back. Calls `onUse` with the name when one is first used.
 */
export function lendCpuKernels(tf: Tf, onUse: (kernel: string) => void): void {
  const cpu = tf.findBackend('cpu') as unknown as Values
  const own = new Set(tf.getKernelsForBackend('wasm').map(({ kernelName }) => kernelName))
  for (const { kernelName, kernelFunc } of tf.getKernelsForBackend('cpu')) {
    if (own.has(kernelName)) continue
    let isUsed = false
    tf.registerKernel({
      kernelName,
      backendName: 'wasm',
      kernelFunc: ({ inputs, attrs, backend }) => {
        if (!isUsed) onUse(kernelName)
        isUsed = true
        const wasm = backend as Values
        const held: object[] = []
        const lend = (info: TensorInfo): TensorInfo => {
          const dataId = cpu.write(wasm.readSync(info.dataId), info.shape, info.dtype)
          held.push(dataId)
          return { ...info, dataId }
        }
        const lent: NamedTensorInfoMap = {}
        for (const [name, info] of Object.entries(inputs)) {
          // Some kernels take lists, which the type does not tell.
          if (info !== undefined) lent[name] = Array.isArray(info) ? (info.map(lend) as never) : lend(info)
        }
        const made = kernelFunc({ inputs: lent, ...(attrs ? { attrs } : {}), backend: cpu })
        const take = (info: TensorInfo): TensorInfo => {
          const dataId = wasm.write(cpu.readSync(info.dataId), info.shape, info.dtype)
          held.push(info.dataId)
          return { shape: info.shape, dtype: info.dtype, dataId }
        }
        const taken = Array.isArray(made) ? made.map(take) : take(made)
        for (const dataId of held) cpu.disposeData(dataId, true)
        return taken
      },
    })
  }
}
