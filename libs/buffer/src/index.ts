export * from './error-table.js'
export type { Previews } from './preview.js'
export * from './redis-buffer.js'
export type { RingConsumer, TakenSlot, TakeOutcome } from './ring-consumer.js'
export type { ReservedSlot, RingProducer } from './ring-producer.js'
export {
  type AllocatedBatch,
  allocateBatch,
  type BatchFieldLayout,
  type BatchMetadata,
  type DecodedBatch,
  decodeBatch,
  encodeBatch,
  type NamedTensor,
  type NewBatchMetadata,
} from './safetensors.js'
export * from './sha256.js'
export * from './slot-ring.js'
export { type TypedArrayOf, typedView } from './typed-view.js'
