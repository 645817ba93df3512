import {
  BytesOnTheWire,
  type CheckedChain,
  checkChain,
  checkPipeline,
  opDeclaration,
  type Stage,
  withDefaults,
} from '@stoker/spec'

/** A chain to look into: without batches, and without regard to order. */
export interface LookChain {
  readonly chain: CheckedChain
  /** Ops after batch that work on each element alone. */
  readonly elementwise: readonly Stage[]
  readonly seed: number
}

type Parts = { readonly source?: unknown; readonly stages?: unknown }

/**
 * Checks a whole job, a pipeline, or a pipeline without batch.
 *
 * @param source stands in for the document's own
 * @throws StokerError with the place in the document
 */
export function lookChain(document: unknown, source?: unknown): LookChain {
  const { pipeline, seed } = partsOf(document)
  const whole = source !== undefined && isObject(pipeline) ? { ...pipeline, source } : pipeline
  const { stages } = (isObject(whole) ? whole : {}) as Parts
  const at = Array.isArray(stages) ? stages.findIndex(isBatch) : -1
  if (!Array.isArray(stages) || !isObject(whole)) return { chain: checkChain(whole), elementwise: [], seed }
  if (at < 0) {
    const records = { ...whole, stages: stages.filter((stage) => opOf(stage) !== 'prefetch') }
    return { chain: checkChain(records), elementwise: [], seed }
  }
  checkWhole(whole)
  const chain = checkChain({ ...whole, stages: stages.slice(0, at) })
  return { chain, elementwise: stages.slice(at + 1).flatMap(elementwiseStage), seed }
}

/** Byte strings may not travel, but they may be looked at. */
function checkWhole(pipeline: unknown): void {
  try {
    checkPipeline(pipeline)
  } catch (error) {
    if (!BytesOnTheWire.is(error)) throw error
  }
}

function partsOf(document: unknown): { pipeline: unknown; seed: number } {
  if (!isObject(document) || !('pipeline' in document)) return { pipeline: document, seed: 0 }
  const { pipeline, seed } = document
  return { pipeline, seed: typeof seed === 'number' && Number.isSafeInteger(seed) ? seed : 0 }
}

function elementwiseStage(stage: unknown): Stage[] {
  const declaration = opDeclaration(opOf(stage) ?? '')
  return declaration?.kind === 'record' ? [withDefaults(declaration.params, stage as Stage)] : []
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const opOf = (stage: unknown): string | undefined =>
  isObject(stage) && typeof stage.op === 'string' ? stage.op : undefined
const isBatch = (stage: unknown): boolean => ['batch', 'paddedBatch'].includes(opOf(stage) ?? '')
