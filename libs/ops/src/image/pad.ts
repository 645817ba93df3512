import type { Tensor, TypedArray } from '@stoker/formats'
import { PadTooWide } from '../error-table.js'
import { wrongField } from '../fields.js'
import { copyInto, zeros } from './pixels.js'

/** `constant` fills with a value, `reflect` mirrors without the edge, `symmetric` with it. */
export type PadMode = 'constant' | 'reflect' | 'symmetric'

export interface PadOptions {
  /** Elements before and after, for each dimension. */
  readonly paddings: readonly (readonly [before: number, after: number])[]
  readonly mode?: PadMode
  /** For `constant`. */
  readonly value?: number
}

/**
 * As `tf.pad`, for a tensor of any rank and type.
 *
 * @throws StokerError STK_OPS_PAD_WIDE where a mirrored border is wider than the tensor
 */
export function pad(tensor: Tensor, { paddings, mode = 'constant', value = 0 }: PadOptions): Tensor {
  const { dtype, shape, data } = tensor
  if (paddings.length !== shape.length) throw wrongField('pad', '', `a tensor of rank ${paddings.length}`, tensor)
  const sources = shape.map((side, axis) => axisSources(side, paddings[axis] ?? [0, 0], mode, axis))
  const outShape = sources.map((source) => source.length)
  const out = zeros(
    dtype,
    outShape.reduce((product, side) => product * side, 1),
  )
  if (mode === 'constant' && value !== 0) fill(out, value)
  copyAxis(data, 0, out, 0, { shape, outShape, sources }, 0)
  return { dtype, shape: outShape, data: out }
}

function fill(out: TypedArray, value: number): void {
  if (out instanceof BigInt64Array) out.fill(BigInt(Math.trunc(value)))
  else out.fill(value)
}

/** For each position along an axis the one it is copied from, or -1 where the value stays. */
function axisSources(
  side: number,
  [before, after]: readonly [number, number],
  mode: PadMode,
  axis: number,
): Int32Array {
  const edge = mode === 'reflect' ? 1 : 0
  const most = mode === 'constant' ? Number.POSITIVE_INFINITY : side - edge
  if (Math.max(before, after) > most) throw PadTooWide(mode, Math.max(before, after), axis, side)
  return Int32Array.from({ length: before + side + after }, (_, at) => {
    const position = at - before
    if (position >= 0 && position < side) return position
    if (mode === 'constant') return -1
    return position < 0 ? -position - 1 + edge : 2 * side - 1 - position - edge
  })
}

interface Layout {
  readonly shape: readonly number[]
  readonly outShape: readonly number[]
  readonly sources: readonly Int32Array[]
}

const product = (sides: readonly number[], from: number): number =>
  sides.slice(from).reduce((total, side) => total * side, 1)

function copyAxis(data: TypedArray, from: number, out: TypedArray, to: number, layout: Layout, axis: number): void {
  const source = layout.sources[axis]
  if (!source) {
    ;(out as Uint8Array)[to] = data[from] as number
    return
  }
  const step = product(layout.shape, axis + 1)
  const outStep = product(layout.outShape, axis + 1)
  const isWholeBelow = layout.sources.slice(axis + 1).every((below, i) => below.length === layout.shape[axis + 1 + i])
  for (let at = 0; at < source.length; ) {
    const position = source[at] as number
    let run = 1
    // Neighbours that stay neighbours are copied at once.
    if (isWholeBelow && position >= 0) while (source[at + run] === position + run) run++
    const start = from + position * step
    if (position >= 0) {
      if (isWholeBelow) copyInto(out, to + at * outStep, data, start, start + run * step)
      else copyAxis(data, start, out, to + at * outStep, layout, axis + 1)
    }
    at += run
  }
}
