import { CheckpointUnfit } from '../error-table.js'
import type { Tensor, Tf, Variable } from '../load/tfjs.js'
import { ADAM, adamRate, type Optimizer, type OptimizerSpec } from './runtime.js'

/** The same Adam and SGD out of tfjs operations, for engines without TensorFlow's fused kernels. */
export function createPlainOptimizer(tf: Tf, spec: OptimizerSpec, variables: readonly Variable[]): Optimizer {
  const slotsOf = (name: string) =>
    variables
      .map(({ shape }) => tf.tidy(() => tf.variable(tf.zeros(shape), false, undefined)))
      .map((value, index) => ({ key: `${name}.${index}`, value }))
  const m = spec.type === 'adam' ? slotsOf('m') : []
  const v = spec.type === 'adam' ? slotsOf('v') : []
  let iterations = 0

  function adam(variable: Variable, gradient: Tensor, mean: Variable, square: Variable, rate: number): void {
    mean.assign(mean.add(gradient.sub(mean).mul(1 - ADAM.beta1)))
    square.assign(
      square.add(
        gradient
          .square()
          .sub(square)
          .mul(1 - ADAM.beta2),
      ),
    )
    variable.assign(variable.sub(mean.mul(rate).div(square.sqrt().add(ADAM.epsilon))))
  }

  return {
    apply(gradients) {
      iterations++
      const rate = spec.type === 'adam' ? adamRate(spec.learningRate, iterations) : spec.learningRate
      tf.tidy(() => {
        for (const [index, variable] of variables.entries()) {
          const gradient = gradients[index]
          const mean = m[index]?.value
          const square = v[index]?.value
          if (!gradient) continue
          if (mean && square) adam(variable, gradient, mean, square, rate)
          else variable.assign(variable.sub(gradient.mul(rate)))
        }
      })
    },
    state() {
      const slots = [...m, ...v].map(({ key, value }) => [key, value.dataSync().slice() as Float32Array] as const)
      return { iterations, slots: new Map(slots) }
    },
    restore(state) {
      for (const { key, value } of [...m, ...v]) {
        const values = state.slots.get(key)
        if (values?.length !== value.size) throw CheckpointUnfit(`no ${key} with shape [${value.shape}]`)
        tf.tidy(() => value.assign(tf.tensor(values.slice(), value.shape)))
      }
      iterations = state.iterations
    },
    dispose() {
      for (const { value } of [...m, ...v]) value.dispose()
      m.length = 0
      v.length = 0
    },
  }
}
