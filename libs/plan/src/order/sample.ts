import { type Layout, type RecordRef, segmentOf } from './layout.js'
import { keyOf, permutation } from './random.js'

/**
 * Draws from several inputs by weight, as tf.data.Dataset.sample_from_datasets, but stratified so that a position is
 * found without drawing all earlier ones: the sequence is cut in blocks, every block holds a fixed number of records of
 * each input, and a keyed permutation says at which places. Inputs keep their own order.
 *
 * When an input ends, drawing goes on among the others with their weights (or ends, with `stopOnEmpty`): the sequence is
 * a list of stretches, each with the inputs that still have records, so there are at most as many as inputs.
 */
export interface Sampling {
  readonly weights: readonly number[]
  readonly seed: number
  readonly stopOnEmpty: boolean
}

/** A stretch of blocks over the same inputs. */
interface Stretch {
  readonly start: number
  /** Input of each strip of a block: strip s covers the block's values [bounds[s], bounds[s + 1]). */
  readonly inputs: readonly number[]
  readonly bounds: readonly number[]
  /** Record of each input at which the stretch begins. */
  readonly firsts: readonly number[]
  readonly key: number
}

// Weights are met to within 1 / 4096 of a block, or exactly where a smaller block does.
const LARGEST_BLOCK = 4096
const USUAL_BLOCK = 1024

export function sampled(inputs: readonly Layout[], { weights, seed, stopOnEmpty }: Sampling, pass: number): Layout {
  const stretches: Stretch[] = []
  const firsts = inputs.map(() => 0)
  const isDrawn = (input: Layout, index: number) => (weights[index] ?? 0) > 0 && (stopOnEmpty || input.total !== 0)
  let active = inputs.flatMap((input, index) => (isDrawn(input, index) ? [index] : []))
  let position = 0
  let isComplete = false
  while (!isComplete && active.length > 0) {
    const stretch = stretchOf(position, active, weights, firsts, keyOf(seed, 0x5d, pass, stretches.length))
    // The stretch ends where an input is first asked for a record that it does not have, or may not have.
    const ends = active.map((index, strip) => {
      const left = (inputs[index] as Layout).known - (firsts[index] as number)
      return placeOfNth(stretch, strip, left)
    })
    const length = Math.min(...ends)
    stretches.push(stretch)
    if (length === Number.POSITIVE_INFINITY) return { known: length, total: length, at: reader(inputs, stretches) }
    for (const [strip, index] of active.entries()) {
      firsts[index] = (firsts[index] as number) + countBefore(stretch, strip, length)
    }
    position += length
    const ended = active.filter((_, strip) => ends[strip] === length)
    if (ended.some((index) => (inputs[index] as Layout).total !== firsts[index])) {
      return { known: position, total: undefined, at: reader(inputs, stretches) }
    }
    active = active.filter((index) => !ended.includes(index))
    isComplete = stopOnEmpty
  }
  return { known: position, total: position, at: reader(inputs, stretches) }
}

function stretchOf(
  start: number,
  active: readonly number[],
  weights: readonly number[],
  firsts: readonly number[],
  key: number,
): Stretch {
  const shares = blockShares(active.map((index) => weights[index] as number))
  const bounds = [0]
  for (const share of shares) bounds.push((bounds.at(-1) as number) + share)
  return { start, inputs: active, bounds, firsts: [...firsts], key }
}

/** Records of each input in a block: the smallest block that meets the weights exactly, laid end to end to about 1,024. */
export function blockShares(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const least = Math.min(...weights) / sum
  for (let size = weights.length; size <= USUAL_BLOCK; size++) {
    const shares = weights.map((weight) => (weight / sum) * size)
    if (shares.every((share) => Math.abs(share - Math.round(share)) < 1e-9 && Math.round(share) > 0)) {
      const times = Math.max(1, Math.floor(USUAL_BLOCK / size))
      return shares.map((share) => Math.round(share) * times)
    }
  }
  // Each input has at least one place, so a tiny weight makes the block longer rather than coming up short.
  const size = Math.max(LARGEST_BLOCK, Math.min(2 ** 20, Math.ceil(1 / least)))
  return weights.map((weight) => Math.max(1, Math.round((weight / sum) * size)))
}

const sizeOf = ({ bounds }: Stretch): number => bounds.at(-1) as number
const shareOf = ({ bounds }: Stretch, strip: number): number =>
  (bounds[strip + 1] as number) - (bounds[strip] as number)

/** Strip drawn at each place of one block. */
function blockOf(stretch: Stretch, block: number): Uint16Array {
  const size = sizeOf(stretch)
  const order = permutation(size, keyOf(stretch.key, block))
  const strips = new Uint16Array(size)
  for (let place = 0; place < size; place++) strips[place] = segmentOf(stretch.bounds, order.at(place))
  return strips
}

/** Place within the stretch of the strip's n-th draw, from 0. */
function placeOfNth(stretch: Stretch, strip: number, n: number): number {
  if (n === Number.POSITIVE_INFINITY) return n
  const share = shareOf(stretch, strip)
  const block = Math.floor(n / share)
  let left = n - block * share
  const strips = blockOf(stretch, block)
  for (let place = 0; place < strips.length; place++) {
    if (strips[place] === strip && left-- === 0) return block * sizeOf(stretch) + place
  }
  throw new Error(`block ${block} has fewer than ${share} places of strip ${strip}`)
}

/** How often the strip is drawn in the first `length` places of the stretch. */
function countBefore(stretch: Stretch, strip: number, length: number): number {
  const size = sizeOf(stretch)
  const block = Math.floor(length / size)
  const strips = blockOf(stretch, block)
  let count = block * shareOf(stretch, strip)
  for (let place = 0; place < length - block * size; place++) if (strips[place] === strip) count++
  return count
}

function reader(inputs: readonly Layout[], stretches: readonly Stretch[]): (position: number) => RecordRef {
  const starts = stretches.map(({ start }) => start)
  // Of the block read last: what is drawn at each place, and how many of the same strip come before it.
  let cached: { stretch: Stretch; block: number; strips: Uint16Array; ranks: Uint32Array } | undefined
  return (position) => {
    const stretch = stretches[segmentOf(starts, position)] as Stretch
    const size = sizeOf(stretch)
    const block = Math.floor((position - stretch.start) / size)
    if (cached?.stretch !== stretch || cached.block !== block) {
      const strips = blockOf(stretch, block)
      const seen = new Uint32Array(stretch.inputs.length)
      const ranks = Uint32Array.from(strips, (strip) => {
        const rank = seen[strip] as number
        seen[strip] = rank + 1
        return rank
      })
      cached = { stretch, block, strips, ranks }
    }
    const place = position - stretch.start - block * size
    const strip = cached.strips[place] as number
    const input = stretch.inputs[strip] as number
    const rank = (stretch.firsts[input] as number) + block * shareOf(stretch, strip) + (cached.ranks[place] as number)
    return (inputs[input] as Layout).at(rank)
  }
}
