import type { Native } from '../load/native.js'
import type { Scalar, Tensor, Tf } from '../load/tfjs.js'
import { foldDeferred } from './deferred.js'
import { createNativeOptimizer } from './native-optimizer.js'
import type { NativeTensors } from './native-tensors.js'
import { createPlainOptimizer } from './plain-optimizer.js'
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
    sparseSoftmaxLoss(logits, labels) {
      return tf.customGrad((x, save) => {
        const ids = backend.getInputTensorIds([x as Tensor, labels])
        const [losses, gradient] = binding
          .executeOp('SparseSoftmaxCrossEntropyWithLogits', attributes, ids, 2)
          .map((made) => backend.createOutputTensor(made))
        if (!losses || !gradient) throw new Error('SparseSoftmaxCrossEntropyWithLogits gave too little')
        ;(save as (kept: Tensor[]) => void)([gradient])
        const rows = losses.size
        return {
          value: tf.mean(losses),
          gradFunc: (dy: Tensor, saved: Tensor[]) => (saved[0] as Tensor).mul(dy.div(rows)),
        }
      })(logits) as Scalar
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
    sparseSoftmaxLoss(logits, labels) {
      const classes = logits.shape.at(-1) as number
      return softmaxLoss(tf, logits, tf.oneHot(labels as import('@tensorflow/tfjs').Tensor1D, classes).cast('float32'))
    },
    createOptimizer: (spec, variables) => createPlainOptimizer(tf, spec, variables),
    tensorCount: () => tf.memory().numTensors,
  }
}

/** Cross-entropy of softmax(logits) against rows of probabilities, meaned over rows. The gradient is softmax - target. */
export function softmaxLoss(tf: Tf, logits: Tensor, target: Tensor): Scalar {
  return tf.customGrad((x, save) => {
    const logProbabilities = tf.logSoftmax(x as Tensor)
    ;(save as (kept: Tensor[]) => void)([logProbabilities, target])
    const rows = logProbabilities.size / (logProbabilities.shape.at(-1) as number)
    return {
      value: logProbabilities.mul(target).sum(-1).neg().mean(),
      gradFunc: (dy: Tensor, saved: Tensor[]) => {
        const [log, kept] = saved as [Tensor, Tensor]
        return log.exp().sub(kept).mul(dy.div(rows))
      },
    }
  })(logits) as Scalar
}
