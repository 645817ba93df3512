// Keras layers as JSON: what `model.to_json()` of Keras and `model.toJSON()` of tfjs write, by hand.

/** A Sequential model; `inputShape` is one record's. */
export function sequential(name, inputShape, layers) {
  const [first, ...rest] = layers
  const head = { ...first, config: { batch_input_shape: [null, ...inputShape], ...first.config } }
  return { class_name: 'Sequential', config: { name, layers: [head, ...rest] } }
}

const glorot = { class_name: 'GlorotUniform', config: {} }

export const dense = (name, units, activation) => ({
  class_name: 'Dense',
  config: { name, units, activation, use_bias: true, kernel_initializer: glorot },
})

export const conv2d = (name, filters, options = {}) => ({
  class_name: 'Conv2D',
  config: {
    ...{ name, filters, kernel_size: [3, 3], strides: [2, 2], padding: 'same', activation: 'relu', use_bias: true },
    ...{ kernel_initializer: glorot, ...options },
  },
})

export const embedding = (name, words, units) => ({
  class_name: 'Embedding',
  config: { name, input_dim: words, output_dim: units },
})

export const dropout = (name, rate) => ({ class_name: 'Dropout', config: { name, rate } })
export const flatten = () => ({ class_name: 'Flatten', config: { name: 'flatten' } })
export const averagePool1d = () => ({ class_name: 'GlobalAveragePooling1D', config: { name: 'pool' } })
export const averagePool2d = () => ({ class_name: 'GlobalAveragePooling2D', config: { name: 'pool' } })
