import {
  type DType,
  type FieldSpec,
  opDeclaration,
  ROUNDABLE_METHODS,
  type Signature,
  type Stage,
  type StageOf,
  type WorkerStage,
} from '@stoker/spec'

/** What is left for the consumer to do to a field, in order, as its first step on the accelerator. */
export type DeferredOp =
  | { readonly op: 'cast'; readonly dtype: 'float32' }
  | { readonly op: 'scale'; readonly factor: number; readonly offset: number }

/** The record stages split between worker and consumer, and what travels in between. */
export interface WirePlan {
  readonly workerStages: readonly WorkerStage[]
  /** What the worker runs on each whole batch, after them. */
  readonly batchStages: readonly WorkerStage[]
  readonly deferred: Readonly<Record<string, readonly DeferredOp[]>>
  /** Fields of one record on the wire, without the batch dimension, in name order. */
  readonly fields: Readonly<Record<string, { readonly dtype: DType; readonly shape: readonly (number | null)[] }>>
}

const SMALL: ReadonlySet<string> = new Set(['uint8', 'int8', 'uint16', 'int16'])
type Deferrable = StageOf<'cast'> | StageOf<'scale'>
const isDeferrable = (stage: Stage): stage is Deferrable =>
  stage.op === 'scale' || (stage.op === 'cast' && stage.dtype === 'float32')

/** A resize of pixels to floats that stay between them, so that rounding loses at most half a level. */
function isRoundable(stage: Stage | undefined, from: FieldSpec | undefined, to: FieldSpec | undefined): boolean {
  const isSmooth =
    stage?.op === 'randomResizedCrop' || (stage?.op === 'resize' && ROUNDABLE_METHODS.has(stage.method ?? 'bilinear'))
  return isSmooth && from?.dtype === 'uint8' && to?.dtype === 'float32'
}

function touches({ op, ...params }: Stage, field: string): boolean {
  const declaration = opDeclaration(op)
  const own = 'field' in params ? [params.field as string] : 'all'
  const fields = declaration?.touches?.(params as never) ?? own
  return fields === 'all' || fields.includes(field)
}

/** A chain's stages as the wire sees them. */
export interface WireStages {
  /** Fields in front of the first stage. */
  readonly sourceSignature: Signature
  readonly recordStages: readonly Stage[]
  readonly batchStages: readonly Stage[]
  readonly recordSignature: Signature
}

/**
 * Cuts the chain so that each field travels in the smallest type that holds it: trailing casts to float32 and scales of
 * a small whole-number field move to the consumer, unless a batch op needs the field. The output of a resize of pixels
 * is rounded to uint8, an error of at most half a level, unless the wire is `float32`.
 */
export function planWire(chain: WireStages, wire: 'auto' | 'float32'): WirePlan {
  const { sourceSignature, recordStages: stages, batchStages, recordSignature: final } = chain
  // before[i]: signature in front of stage i.
  const before: Signature[] = [sourceSignature]
  for (const { op, ...params } of stages) {
    const current = before.at(-1) ?? sourceSignature
    before.push(opDeclaration(op)?.infer(current, params as never) ?? current)
  }
  const moved = new Set<number>()
  const rounded = new Set<number>()
  const deferred: Record<string, DeferredOp[]> = {}
  const onWire: Record<string, FieldSpec> = { ...final }

  for (const field of Object.keys(final)) {
    if (wire === 'float32' || batchStages.some((stage) => touches(stage, field))) continue
    const own = stages.flatMap((stage, index) => (touches(stage, field) ? [index] : []))
    let cut = own.length
    while (cut > 0 && isDeferrable(stages[own[cut - 1] as number] as Stage)) cut--
    let last = cut - 1
    while (last >= 0 && opDeclaration(stages[own[last] as number]?.op ?? '')?.keepsValues) last--
    const previous = own[last] ?? -1
    const resized = isRoundable(stages[previous], before[previous]?.[field], before[previous + 1]?.[field])
    const tail = own.slice(cut)
    const carried = tail.length > 0 ? before[tail[0] as number]?.[field] : final[field]
    if (!carried || !(resized || (tail.length > 0 && SMALL.has(carried.dtype)))) continue
    if (resized) rounded.add(previous)
    for (const index of tail) moved.add(index)
    deferred[field] = deferOps(tail.map((index) => stages[index] as Deferrable))
    // Padding gave the final shape, and casts and scales change none.
    onWire[field] = { dtype: resized ? 'uint8' : carried.dtype, shape: final[field]?.shape ?? carried.shape }
  }

  const workerStages = stages.flatMap((stage, index): WorkerStage[] => {
    if (moved.has(index)) return []
    const isRounded = rounded.has(index) && (stage.op === 'resize' || stage.op === 'randomResizedCrop')
    return [isRounded ? { ...stage, out: 'uint8' } : stage]
  })
  return { workerStages, batchStages, deferred, fields: sortedFields(onWire) }
}

/** The consumer starts from whole numbers, so a cast comes first whatever the chain said; further casts change nothing. */
function deferOps(stages: readonly Deferrable[]): DeferredOp[] {
  const scales = stages.filter((stage) => stage.op === 'scale')
  return [
    { op: 'cast', dtype: 'float32' },
    ...scales.map(({ factor, offset }) => ({ op: 'scale' as const, factor, offset: offset ?? 0 })),
  ]
}

function sortedFields(signature: Signature): WirePlan['fields'] {
  const entries = Object.entries(signature).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, { dtype, shape }]) => [name, { dtype: dtype as DType, shape }]))
}
