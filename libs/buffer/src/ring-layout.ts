import { type ErrorView, fromErrorView, type StokerError, toStokerError } from '@stoker/spec'
import { RingClosed, RingMisused } from './error-table.js'

/*
 * ring    = head counters error slotInfo* pad slot*
 * head    = i32 * 16, see WORD          counters = f64 * 4      error = bytes:i32 JSON
 * slotInfo = epoch:f64 batch:f64 length:f64
 *
 * Counters of slots run on and start anew at a multiple of the number of slots, see `next`. Everything but the head is
 * written by one side and read by the other after it has seen the head's counter move, which orders the two.
 */
export const WORD = {
  magic: 0,
  slots: 1,
  slotBytes: 2,
  errorBytes: 3,
  state: 4,
  /** Slots published so far. Written by the producer. */
  published: 5,
  /** Slots released so far. Written by the consumer. */
  released: 6,
  /** Moved whenever the consumer should look again. */
  toConsumer: 7,
  /** Moved whenever the producer should look again. */
  toProducer: 8,
} as const

export const STATE = { open: 0, ended: 1, closedByProducer: 2, closedByConsumer: 3, failed: 4 } as const

const MAGIC = 0x534c4f54
const HEAD_WORDS = 16
const COUNTERS = 4
const INFO_DOUBLES = 3
const CACHE_LINE = 64
const ERROR_LENGTH_BYTES = 8
export const DEFAULT_ERROR_BYTES = 4096

export interface RingSize {
  readonly slots: number
  /** Bytes of the largest batch. */
  readonly slotBytes: number
}

export interface RingLayout extends RingSize {
  readonly shared: SharedArrayBuffer
  readonly head: Int32Array
  readonly counters: Float64Array
  readonly errorLength: Int32Array
  readonly error: Uint8Array
  next(counter: number): number
  /** How far a counter is ahead of another one. */
  distance(from: number, to: number): number
  /** The slot at a counter's value. */
  slot(counter: number): Uint8Array
  info(counter: number): Float64Array
}

const roundUp = (bytes: number): number => Math.ceil(bytes / CACHE_LINE) * CACHE_LINE

/** The views of a new ring, or of one that the other thread made. */
export function layoutOf(from: SharedArrayBuffer | (RingSize & { readonly errorBytes: number })): RingLayout {
  const size = from instanceof SharedArrayBuffer ? sizeOf(from) : from
  const { slots, slotBytes, errorBytes } = size
  if (!isCount(slots) || !isCount(slotBytes) || slots < 1 || slots > 2 ** 20 || slotBytes < 1) {
    throw RingMisused(`a ring of ${slots} slots of ${slotBytes} bytes is not possible`)
  }
  const countersAt = HEAD_WORDS * Int32Array.BYTES_PER_ELEMENT
  const errorAt = countersAt + COUNTERS * Float64Array.BYTES_PER_ELEMENT
  const infoAt = roundUp(errorAt + ERROR_LENGTH_BYTES + errorBytes)
  const infoBytes = INFO_DOUBLES * Float64Array.BYTES_PER_ELEMENT
  const slotsAt = roundUp(infoAt + slots * infoBytes)
  const stride = roundUp(slotBytes)
  const shared = from instanceof SharedArrayBuffer ? from : new SharedArrayBuffer(slotsAt + slots * stride)
  const head = new Int32Array(shared, 0, HEAD_WORDS)
  if (!(from instanceof SharedArrayBuffer)) {
    head[WORD.magic] = MAGIC
    head[WORD.slots] = slots
    head[WORD.slotBytes] = slotBytes
    head[WORD.errorBytes] = errorBytes
  }
  const period = slots * Math.floor(2 ** 30 / slots)
  const index = (counter: number) => counter % slots
  return {
    slots,
    slotBytes,
    shared,
    head,
    counters: new Float64Array(shared, countersAt, COUNTERS),
    errorLength: new Int32Array(shared, errorAt, 1),
    error: new Uint8Array(shared, errorAt + ERROR_LENGTH_BYTES, errorBytes),
    next: (counter) => (counter + 1) % period,
    distance: (from, to) => (to - from + period) % period,
    slot: (counter) => new Uint8Array(shared, slotsAt + index(counter) * stride, slotBytes),
    info: (counter) => new Float64Array(shared, infoAt + index(counter) * infoBytes, INFO_DOUBLES),
  }
}

function sizeOf(shared: SharedArrayBuffer): RingSize & { errorBytes: number } {
  const head = shared.byteLength >= HEAD_WORDS * 4 ? new Int32Array(shared, 0, HEAD_WORDS) : undefined
  if (head?.[WORD.magic] !== MAGIC) throw RingMisused('this memory is no ring')
  return { slots: head[WORD.slots] ?? 0, slotBytes: head[WORD.slotBytes] ?? 0, errorBytes: head[WORD.errorBytes] ?? 0 }
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 2 ** 31

/** Moves a word that the other side waits on, and wakes it. */
export function signal(head: Int32Array, word: number): void {
  Atomics.add(head, word, 1)
  Atomics.notify(head, word)
}

export function signalBoth(head: Int32Array): void {
  signal(head, WORD.toConsumer)
  signal(head, WORD.toProducer)
}

/** Leaves the open (or ended) state for good; the first one to do so decides. */
export function stop({ head }: RingLayout, state: number): boolean {
  for (const from of [STATE.open, STATE.ended]) {
    if (Atomics.compareExchange(head, WORD.state, from, state) === from) {
      signalBoth(head)
      return true
    }
  }
  return false
}

/** Tells the other side of an error; the first one stands. */
export function fail(layout: RingLayout, error: unknown): void {
  const { code, message, retryable, place, remedy } = toStokerError(error).toJSON()
  const full = JSON.stringify({ code, message, retryable, place, remedy })
  // A message too long for its place is cut, never the code.
  const text =
    Buffer.byteLength(full) <= layout.error.length
      ? full
      : JSON.stringify({ code, message: message.slice(0, layout.error.length / 8), retryable })
  const bytes = Buffer.from(text)
  if (Atomics.compareExchange(layout.errorLength, 0, 0, bytes.length) !== 0) return
  layout.error.set(bytes)
  stop(layout, STATE.failed)
}

/** What the other side did to the ring, as an error; undefined while it goes on. */
export function stopError({ head, errorLength, error }: RingLayout): StokerError | undefined {
  const state = Atomics.load(head, WORD.state)
  if (state === STATE.open || state === STATE.ended) return undefined
  if (state !== STATE.failed) return RingClosed(state === STATE.closedByProducer ? 'producer' : 'consumer')
  const text = Buffer.from(error.slice(0, Atomics.load(errorLength, 0))).toString('utf8')
  return fromErrorView(JSON.parse(text) as ErrorView)
}
