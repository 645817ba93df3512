export { type FieldView, fieldsView, fieldView, type NumberSummary, summaryOf } from './field-view.js'
export { type GuessOptions, guessSource } from './guess-source.js'
export { type Look, type LookOptions, type LookWithData, lookInside, type StageView } from './look.js'
export { type LookChain, lookChain } from './look-chain.js'
