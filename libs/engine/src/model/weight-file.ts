import { CheckpointUnfit } from '../error-table.js'
import type { ModelFiles } from '../types.js'

export interface NamedWeights {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/** Name of the file in a checkpoint. */
export const WEIGHT_FILE = 'weights.safetensors'

// safetensors (github.com/huggingface/safetensors): headerBytes:u64le header:JSON payload*, header padded to 8 bytes with
// spaces. All tensors here are float32, little-endian, row-major.
interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

export function encodeWeights(
  weights: readonly NamedWeights[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const header: Record<string, Entry | Readonly<Record<string, string>>> = { __metadata__: metadata }
  let end = 0
  for (const { name, shape, values } of weights) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + values.byteLength] }
    end += values.byteLength
  }
  const text = Buffer.from(JSON.stringify(header))
  const headerBytes = Math.ceil(text.length / 8) * 8
  const file = new Uint8Array(8 + headerBytes + end).fill(0x20, 8, 8 + headerBytes)
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true)
  file.set(text, 8)
  let at = 8 + headerBytes
  for (const { values } of weights) {
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at)
    at += values.byteLength
  }
  return file
}

/** @throws CheckpointUnfit */
export function decodeWeights(files: ModelFiles): {
  readonly weights: readonly NamedWeights[]
  readonly metadata: Readonly<Record<string, string>>
} {
  const file = files.get(WEIGHT_FILE)
  if (!file) throw CheckpointUnfit(`it has no ${WEIGHT_FILE}, but ${[...files.keys()].join(', ') || 'nothing'}`)
  try {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
    const headerBytes = Number(bytes.readBigUInt64LE(0))
    const { __metadata__: metadata = {}, ...entries } = JSON.parse(
      bytes.toString('utf8', 8, 8 + headerBytes),
    ) as Record<string, Entry> & { __metadata__?: Record<string, string> }
    const weights = Object.entries(entries as Record<string, Entry>).map(([name, { dtype, shape, data_offsets }]) => {
      if (dtype !== 'F32') throw new Error(`${name} is ${dtype}`)
      const [from, to] = data_offsets.map((offset) => 8 + headerBytes + offset) as [number, number]
      // A copy: TensorFlow changes weights in place, and may do so in the very memory it is given.
      return { name, shape, values: new Float32Array(new Uint8Array(file.subarray(from, to)).buffer) }
    })
    return { weights, metadata }
  } catch (error) {
    throw CheckpointUnfit(`${WEIGHT_FILE} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
