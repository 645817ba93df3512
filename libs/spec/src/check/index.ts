export * from './chain.js'
export type { ChainOrder, RecordOrder } from './order-steps.js'
export { MOST_EPOCHS } from './order-steps.js'
