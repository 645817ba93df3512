import { createHash } from 'node:crypto'
import { byName, decodeBatch, type NamedTensor } from './safetensors.js'

/**
 * SHA-256, in hex, over the bytes of a batch's tensors in name order. Equal batches have equal sums, whatever job or
 * epoch they belong to: names, shapes and metadata are left out.
 */
export function batchSha256(batch: Uint8Array | readonly NamedTensor[]): string {
  const tensors = batch instanceof Uint8Array ? decodeBatch(batch).tensors : [...batch].sort(byName)
  const hash = createHash('sha256')
  for (const { data } of tensors) hash.update(data)
  return hash.digest('hex')
}
