import { batchSha256, decodeBatch, type NamedTensor, typedView } from '@stoker/buffer'
import type { Tensor } from '@stoker/formats'
import { fieldView, summaryOf } from '@stoker/pipeline'
import { counted } from './counted.js'
import { numbersText } from './look-text.js'

/** A batch in a few lines: of each tensor the type, the shape, the range and the first values. */
export function batchText(bytes: Uint8Array): string {
  const { tensors, metadata } = decodeBatch(bytes)
  const { epoch, batch, records, deferred } = metadata
  const width = Math.max(0, ...tensors.map(({ name }) => name.length))
  const todo = Object.entries(deferred === undefined ? {} : (JSON.parse(deferred) as Record<string, unknown>))
  return [
    `batch ${batch} of epoch ${epoch}: ${counted(records, 'record')}, sha256 ${batchSha256(bytes)}`,
    ...tensors.map((tensor) => {
      const { name, dtype, shape } = tensor
      return `  ${name.padEnd(width)}  ${dtype}[${shape.join(',')}]  ${numbersText(valuesOf(tensor))}`
    }),
    ...todo.map(([name, steps]) => `  left to the consumer: ${name} ${JSON.stringify(steps)}`),
  ].join('\n')
}

/** All values of each tensor as JSON can hold them, with their range. */
export function tensorValues(bytes: Uint8Array): Readonly<Record<string, object>> {
  const { tensors } = decodeBatch(bytes)
  return Object.fromEntries(
    tensors.map((tensor) => {
      const values = valuesOf(tensor)
      const { min, max, mean } = summaryOf(values) ?? {}
      const shown = fieldView(values, Number.POSITIVE_INFINITY)
      const special = shown.special ? { special: true } : {}
      return [tensor.name, { min, max, mean, values: shown.values, ...special, sha256: shown.sha256 }]
    }),
  )
}

const valuesOf = (tensor: NamedTensor): Tensor => ({
  dtype: tensor.dtype,
  shape: tensor.shape,
  data: typedView(tensor),
})
