import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Signature, Train } from '@stoker/spec'
import type { DecodedBatch } from '../../src/index.js'

// Written by test/parity/golden_training.py: a Functional model of Keras 3 with two inputs and two outputs.
const golden = new URL('../../../../test/fixtures/golden/', import.meta.url)
export const goldenFolder = fileURLToPath(golden)

interface Graph {
  readonly topology: { readonly class_name: string; readonly config: unknown }
  readonly x: Readonly<Record<'image' | 'extra', number[]>>
  readonly y: Readonly<Record<'main' | 'side', number[]>>
  readonly history: Readonly<Record<string, number[]>>
  readonly main: number[]
  readonly side: number[]
}
export const [graph] = JSON.parse(await readFile(new URL('training-graph.json', golden), 'utf8')) as [Graph]

export const RECORDS = 12

/** Fields are called otherwise than inputs and outputs, but for `image`. */
export const graphFields: Signature = {
  image: { dtype: 'float32', shape: [6, 6, 1] },
  numbers: { dtype: 'float32', shape: [3] },
  kind: { dtype: 'int32', shape: [] },
  isBig: { dtype: 'float32', shape: [] },
}

export const graphTrain: Omit<Train, 'model'> = {
  features: { extra: 'numbers', image: 'image' },
  outputs: {
    side: { label: 'isBig', loss: 'binaryCrossentropy', lossWeight: 0.3, metrics: ['accuracy'] },
    main: { label: 'kind', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] },
  },
  optimizer: { type: 'sgd', learningRate: 0.1 },
}

export function graphBatch(from: number, to: number): DecodedBatch {
  const floats = (name: string, values: readonly number[], shape: readonly number[]) => {
    const width = values.length / RECORDS
    const data = new Uint8Array(Float32Array.from(values.slice(from * width, to * width)).buffer)
    return { name, dtype: 'float32' as const, shape: [to - from, ...shape], data }
  }
  const kind = new Uint8Array(Int32Array.from(graph.y.main.slice(from, to)).buffer)
  return {
    tensors: [
      floats('image', graph.x.image, [6, 6, 1]),
      floats('numbers', graph.x.extra, [3]),
      { name: 'kind', dtype: 'int32', shape: [to - from], data: kind },
      floats('isBig', graph.y.side, []),
    ],
  }
}
