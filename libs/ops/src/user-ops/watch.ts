import type { RecordAt } from '../kernel.js'

/*
 * A loop that never ends blocks its thread: no timer of that thread can end it, only another thread that terminates it.
 * So a compute thread writes into shared memory which op it is in, for which record and since when; when calls overlap,
 * the one that began first. The watching thread reads that now and then. Writing costs about a microsecond a call.
 *
 * cells = Int32: sequence (odd while being written) startedMs shard record batch nameLength, then the name in bytes.
 * Times are Date.now() modulo 2^31; -1 stands for "no shard" and so on, nameLength 0 for "in no op".
 */
const CELLS = 6
const NAME_BYTES = 128
const [SEQUENCE, STARTED, SHARD, RECORD, BATCH, NAME] = [0, 1, 2, 3, 4, 5] as const
const WRAP = 0x7fff_ffff

export const OP_WATCH_BYTES = CELLS * Int32Array.BYTES_PER_ELEMENT + NAME_BYTES

export interface OpWatch {
  /** Returns what to call when the op has answered. */
  enter(op: string, at?: RecordAt): () => void
}

export interface Watched {
  readonly op: string
  readonly forMs: number
  readonly at: RecordAt
}

interface Call {
  readonly op: string
  readonly at: RecordAt
  readonly startedMs: number
}

/** The side of the thread that runs ops. */
export function openOpWatch(buffer: SharedArrayBuffer): OpWatch {
  const cells = new Int32Array(buffer, 0, CELLS)
  const name = new Uint8Array(buffer, CELLS * Int32Array.BYTES_PER_ELEMENT)
  const calls = new Set<Call>()
  let shown = ''
  let length = 0
  const show = (call: Call | undefined): void => {
    if (!call) {
      Atomics.store(cells, NAME, 0)
      return
    }
    Atomics.add(cells, SEQUENCE, 1)
    cells[STARTED] = call.startedMs
    cells[SHARD] = call.at.shard ?? -1
    cells[RECORD] = call.at.record ?? -1
    cells[BATCH] = call.at.batch ?? -1
    if (call.op !== shown) {
      shown = call.op
      // A buffer in shared memory cannot be encoded into.
      const text = Buffer.from(shown).subarray(0, NAME_BYTES)
      name.set(text)
      length = text.length
    }
    cells[NAME] = length
    Atomics.add(cells, SEQUENCE, 1)
  }
  const first = () => calls.values().next().value
  return {
    enter(op, at = {}) {
      const call: Call = { op, at, startedMs: Date.now() & WRAP }
      calls.add(call)
      if (calls.size === 1) show(call)
      return () => {
        const wasShown = first() === call
        calls.delete(call)
        if (wasShown) show(first())
      }
    },
  }
}

/** The side of the thread that watches: the op that runs now, or undefined. */
export function readOpWatch(buffer: SharedArrayBuffer): Watched | undefined {
  const cells = new Int32Array(buffer, 0, CELLS)
  const before = Atomics.load(cells, SEQUENCE)
  const [, started = 0, shard = -1, record = -1, batch = -1, length = 0] = cells
  const op = Buffer.from(new Uint8Array(buffer, CELLS * Int32Array.BYTES_PER_ELEMENT, length)).toString()
  // Written to meanwhile: whatever runs has only begun.
  if (length === 0 || before % 2 !== 0 || Atomics.load(cells, SEQUENCE) !== before) return undefined
  const at = {
    ...(shard < 0 ? {} : { shard }),
    ...(record < 0 ? {} : { record }),
    ...(batch < 0 ? {} : { batch }),
  }
  return { op, forMs: (Date.now() - started) & WRAP, at }
}
