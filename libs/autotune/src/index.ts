export * from './fixed-rules.js'
