import type { Native } from '../load/native.js'
import type { Tensor, Tf } from '../load/tfjs.js'
import { softmaxLosses } from '../objective/loss.js'
import { createNativeOptimizer } from '../optimize/native-optimizer.js'
import { createPlainOptimizer } from '../optimize/plain-optimizer.js'
import { foldDeferred } from './deferred.js'
import type { NativeTensors } from './native-tensors.js'
import type { LayersRuntime } from './runtime.js'
import { toNumbers, typedView } from './typed-view.js'

export function nativeRuntime(native: Native, tensors: NativeTensors): LayersRuntime {
  const { tf, backend, binding } = native
  const codes = { float32: binding.TF_FLOAT, int32: binding.TF_INT32 }
  const attributes = [tensors.type('T', binding.TF_FLOAT), tensors.type('Tlabels', binding.TF_INT32)]
  return {
    tf,
    upload(tensor, deferred, dtype) {
      const id = tensors.upload(tensor, deferred, dtype)
      return backend.createOutputTensor({ id, shape: [...tensor.shape], dtype: codes[dtype] })
    },
    sparseSoftmax(logits, labels) {
      const ids = backend.getInputTensorIds([logits, labels])
      const [losses, gradient] = binding
        .executeOp('SparseSoftmaxCrossEntropyWithLogits', attributes, ids, 2)
        .map((made) => backend.createOutputTensor(made))
      if (!losses || !gradient) throw new Error('SparseSoftmaxCrossEntropyWithLogits gave too little')
      return { losses, gradient }
    },
    createOptimizer: (spec, variables) => createNativeOptimizer(native, tensors, spec, variables),
    tensorCount: () => binding.getNumOfTensors(),
  }
}

export function wasmRuntime(tf: Tf): LayersRuntime {
  return {
    tf,
    upload(tensor, deferred, dtype) {
      const values = toNumbers(typedView(tensor))
      const affine = dtype === 'float32' ? foldDeferred(deferred) : undefined
      const target = dtype === 'int32' ? Int32Array.from(values) : Float32Array.from(values)
      if (affine)
        for (let i = 0; i < target.length; i++) target[i] = (target[i] as number) * affine.factor + affine.offset
      return tf.tensor(target, [...tensor.shape], dtype)
    },
    sparseSoftmax(logits, labels) {
      const classes = logits.shape.at(-1) as number
      return softmaxLosses(tf, logits, oneHot(tf, labels, classes))
    },
    createOptimizer: (spec, variables) => createPlainOptimizer(tf, spec, variables),
    tensorCount: () => tf.memory().numTensors,
  }
}

const oneHot = (tf: Tf, labels: Tensor, classes: number): Tensor =>
  tf.oneHot(labels as import('@tensorflow/tfjs').Tensor1D, classes).cast('float32')
