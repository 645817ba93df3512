import type { Signature, Train } from '@stoker/spec'
import type { BatchTensor, DecodedBatch, Deferred } from '../../src/index.js'

export const BATCH = 64

export const digitsTopology = {
  class_name: 'Sequential',
  config: {
    name: 'digits',
    layers: [
      { class_name: 'Flatten', config: { name: 'flatten', batch_input_shape: [null, 28, 28, 1] } },
      { class_name: 'Dense', config: { name: 'hidden', units: 128, activation: 'relu' } },
      { class_name: 'Dense', config: { name: 'classes', units: 10, activation: 'softmax' } },
    ],
  },
}

/** Convolution, pooling, batch normalisation and dropout: kernels that have states or randomness of their own. */
export const convTopology = {
  class_name: 'Sequential',
  config: {
    name: 'conv',
    layers: [
      {
        class_name: 'Conv2D',
        config: {
          name: 'conv',
          filters: 4,
          kernel_size: [3, 3],
          activation: 'relu',
          batch_input_shape: [null, 28, 28, 1],
        },
      },
      { class_name: 'MaxPooling2D', config: { name: 'pool', pool_size: [2, 2] } },
      { class_name: 'BatchNormalization', config: { name: 'norm' } },
      { class_name: 'Flatten', config: { name: 'flatten' } },
      { class_name: 'Dropout', config: { name: 'drop', rate: 0.3, seed: 5 } },
      { class_name: 'Dense', config: { name: 'classes', units: 10, activation: 'softmax' } },
    ],
  },
}

export const fields: Signature = {
  image: { dtype: 'uint8', shape: [28, 28, 1] },
  label: { dtype: 'int64', shape: [] },
}

export const deferred: Deferred = {
  image: [
    { op: 'cast', dtype: 'float32' },
    { op: 'scale', factor: 1 / 255, offset: 0 },
  ],
}

export const layers = (topology: object, more: Partial<Train> = {}): Train => ({
  model: { kind: 'layers', topology: topology as typeof digitsTopology },
  loss: 'sparseCategoricalCrossentropy',
  ...more,
})

/** A generator of numbers in [0, 1) (Lehmer 1951). */
export function drawer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Images that a model can tell apart: rows of a digit's own are bright, with noise. */
export function digitBatch(seed: number, records = BATCH): DecodedBatch {
  const draw = drawer(seed + 1)
  const labels = BigInt64Array.from({ length: records }, () => BigInt(Math.floor(draw() * 10)))
  const pixels = new Uint8Array(records * 784)
  for (let record = 0; record < records; record++) {
    for (let at = 0; at < 784; at++) {
      const isBright = Math.floor(at / 28) % 10 === Number(labels[record])
      pixels[record * 784 + at] = Math.floor((isBright ? 170 : 20) + draw() * 60)
    }
  }
  return {
    tensors: [
      { name: 'image', dtype: 'uint8', shape: [records, 28, 28, 1], data: pixels },
      { name: 'label', dtype: 'int64', shape: [records], data: new Uint8Array(labels.buffer) },
    ],
  }
}

/** The same bytes at an offset of a shared buffer, as a slot of the trainer's ring holds them. */
export function inSharedMemory(batch: DecodedBatch, offset: number): DecodedBatch {
  const tensors = batch.tensors.map((tensor): BatchTensor => {
    const shared = new SharedArrayBuffer(tensor.data.length + offset)
    const data = new Uint8Array(shared, offset)
    data.set(tensor.data)
    return { ...tensor, data }
  })
  return { tensors }
}
