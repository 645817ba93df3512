import { learningRateAt, type OptimizerSpec } from '@stoker/spec'
import { CheckpointUnfit } from '../error-table.js'
import type { Tensor, Tf, Variable } from '../load/tfjs.js'
import { decayOf, type Optimizer, slotNames, stepSize, type Trainable } from './optimizer.js'

/** The same optimisers out of tfjs operations, for engines without TensorFlow's fused kernels. */
export function createPlainOptimizer(tf: Tf, spec: OptimizerSpec, variables: readonly Trainable[]): Optimizer {
  const names = slotNames(spec)
  /** slots[variable][slot] */
  const slots = variables.map(({ variable: { shape } }) =>
    names.map(() => tf.tidy(() => tf.variable(tf.zeros(shape), false, undefined))),
  )
  const keyed = () => slots.flatMap((own, index) => own.map((value, at) => ({ key: `${names[at]}.${index}`, value })))
  const step = STEPS[spec.type]
  let iterations = 0

  return {
    get learningRate() {
      return learningRateAt(spec.learningRate, iterations)
    },
    apply(gradients) {
      const base = learningRateAt(spec.learningRate, iterations)
      const rate = stepSize(spec, iterations)
      iterations++
      tf.tidy(() => {
        for (const [index, { variable, name }] of variables.entries()) {
          const gradient = gradients[index]
          if (!gradient) continue
          const share = decayOf(spec, name, base)
          if (share > 0) variable.assign(variable.sub(variable.mul(share)))
          step(tf, spec, variable, gradient, slots[index] ?? [], rate)
        }
      })
    },
    state() {
      const values = keyed().map(({ key, value }) => [key, value.dataSync().slice() as Float32Array] as const)
      return { iterations, slots: new Map(values) }
    },
    restore(state) {
      for (const { key, value } of keyed()) {
        const values = state.slots.get(key)
        if (values?.length !== value.size) throw CheckpointUnfit(`no ${key} with shape [${value.shape}]`)
        tf.tidy(() => value.assign(tf.tensor(values.slice(), value.shape)))
      }
      iterations = state.iterations
    },
    dispose() {
      for (const { value } of keyed()) value.dispose()
      slots.length = 0
    },
  }
}

type Step = (
  tf: Tf,
  spec: OptimizerSpec,
  variable: Variable,
  gradient: Tensor,
  /** In the order of `slotNames`. */
  slots: readonly Variable[],
  rate: number,
) => void

const slotOf = (slots: readonly Variable[], at: number): Variable => {
  const slot = slots[at]
  if (!slot) throw new Error(`the optimiser has no slot ${at}`)
  return slot
}

/** Each optimiser's step, by the formulas of TensorFlow's kernels (tensorflow/core/kernels/training_ops.cc). */
const STEPS: Readonly<Record<OptimizerSpec['type'], Step>> = {
  sgd(_tf, { momentum, nesterov }, variable, gradient, slots, rate) {
    if (momentum === 0) {
      variable.assign(variable.sub(gradient.mul(rate)))
      return
    }
    const accumulator = slotOf(slots, 0)
    accumulator.assign(accumulator.mul(momentum).sub(gradient.mul(rate)))
    const change = nesterov ? accumulator.mul(momentum).sub(gradient.mul(rate)) : accumulator
    variable.assign(variable.add(change))
  },
  adam(tf, { beta1, beta2, epsilon, amsgrad }, variable, gradient, slots, rate) {
    const [mean, square] = [slotOf(slots, 0), slotOf(slots, 1)]
    mean.assign(mean.add(gradient.sub(mean).mul(1 - beta1)))
    square.assign(
      square.add(
        gradient
          .square()
          .sub(square)
          .mul(1 - beta2),
      ),
    )
    let second = square
    if (amsgrad) {
      second = slotOf(slots, 2)
      second.assign(tf.maximum(second, square))
    }
    variable.assign(variable.sub(mean.mul(rate).div(second.sqrt().add(epsilon))))
  },
  rmsprop(_tf, { rho, momentum, epsilon, centered }, variable, gradient, slots, rate) {
    const [square, change] = [slotOf(slots, 0), slotOf(slots, 1)]
    square.assign(
      square.add(
        gradient
          .square()
          .sub(square)
          .mul(1 - rho),
      ),
    )
    let denominator: Tensor = square.add(epsilon)
    if (centered) {
      const mean = slotOf(slots, 2)
      mean.assign(mean.add(gradient.sub(mean).mul(1 - rho)))
      denominator = denominator.sub(mean.square())
    }
    change.assign(change.mul(momentum).add(gradient.mul(rate).mul(denominator.rsqrt())))
    variable.assign(variable.sub(change))
  },
}
