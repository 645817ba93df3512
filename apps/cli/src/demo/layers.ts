/** One layer of a Keras model in JSON. */
export interface Layer {
  readonly class_name: string
  readonly config: Readonly<Record<string, unknown>>
}

/** A Sequential model as Keras writes it; `inputShape` is one record's. */
export function sequential(name: string, inputShape: readonly number[], layers: readonly Layer[]) {
  const [first, ...rest] = layers
  const head = first && { ...first, config: { batch_input_shape: [null, ...inputShape], ...first.config } }
  return { class_name: 'Sequential', config: { name, layers: head ? [head, ...rest] : [] } }
}

export const flatten = (): Layer => ({ class_name: 'Flatten', config: { name: 'flatten' } })

export const dense = (name: string, units: number, activation: string): Layer => ({
  class_name: 'Dense',
  config: { name, units, activation, use_bias: true, kernel_initializer: { class_name: 'GlorotUniform', config: {} } },
})

/** Padded 3x3 convolution that halves each side. */
export const halvingConv = (name: string, filters: number): Layer => ({
  class_name: 'Conv2D',
  config: {
    ...{ name, filters, kernel_size: [3, 3], strides: [2, 2], padding: 'same', activation: 'relu', use_bias: true },
    kernel_initializer: { class_name: 'GlorotUniform', config: {} },
  },
})

export const globalAveragePool = (): Layer => ({ class_name: 'GlobalAveragePooling2D', config: { name: 'pool' } })
