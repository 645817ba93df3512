import { NeverEnds, TooManyRepeats, WrongStageOrder } from '../error-table.js'
import { opDeclaration } from '../ops/registry.js'
import type { Stage, StageOf } from '../pipeline.js'

type RecordStep = StageOf<'shuffle'> | StageOf<'take'> | StageOf<'skip'> | StageOf<'shard'> | StageOf<'repeat'>
type BatchStep = StageOf<'shuffle'> | StageOf<'take'> | StageOf<'skip'> | StageOf<'shard'>

/** The `order` ops of a chain without batch, by what they do to the plan. */
export interface RecordOrder {
  readonly interleave: StageOf<'interleave'> | undefined
  /** Changes of the sequence of records, in order. */
  readonly records: readonly RecordStep[]
  /** The shuffle among them. */
  readonly shuffle: StageOf<'shuffle'> | undefined
  /** Whether the sequence goes on for ever: a repeat without a count that no later take cuts. */
  readonly isEndless: boolean
}

/** The `order` ops of a whole chain. */
export interface ChainOrder extends RecordOrder {
  readonly batch: StageOf<'batch'> | StageOf<'paddedBatch'>
  /** Changes of the sequence of batches, in order. */
  readonly batches: readonly BatchStep[]
  /** Times that the chain is gone through because of repeats after batch. */
  readonly epochRepeats: number
  /** A repeat after batch has no count: the job says how many epochs. */
  readonly repeatsUntilTold: boolean
  readonly prefetch: StageOf<'prefetch'> | undefined
}

/** Ops that work on each element alone may also stand after `batch`; before a batch op they run a record at a time. */
export const ELEMENTWISE: ReadonlySet<string> = new Set(['cast', 'scale'])

const MOST_BLENDED = 10_000
export const MOST_EPOCHS = 2 ** 31

/** Collects the order ops in one pass and refuses orders that mean nothing. */
export class OrderCollector {
  readonly #readsShards: boolean
  readonly #isNested: boolean
  #interleave: StageOf<'interleave'> | undefined
  readonly #records: RecordStep[] = []
  readonly #batches: BatchStep[] = []
  #batch: ChainOrder['batch'] | undefined
  #prefetch: StageOf<'prefetch'> | undefined
  #epochRepeats = 1
  #repeatsUntilTold = false
  #blended = 1
  #isEndless: boolean

  /** @param source what is known of it: whether it reads shards, whether its own records never end. */
  constructor(source: { readsShards: boolean; isEndless: boolean }, isNested: boolean) {
    this.#readsShards = source.readsShards
    this.#isEndless = source.isEndless
    this.#isNested = isNested
  }

  get isBatched(): boolean {
    return this.#batch !== undefined
  }

  /** @throws WrongStageOrder, TooManyRepeats; the caller adds the place. */
  add(stage: Stage, index: number): void {
    if (stage.op === 'interleave') this.#addInterleave(stage, index)
    else if (stage.op === 'batch' || stage.op === 'paddedBatch') this.#addBatch(stage)
    else if (stage.op === 'shuffle') this.#addShuffle(stage)
    else if (stage.op === 'repeat') this.#addRepeat(stage)
    else if (stage.op === 'take' || stage.op === 'skip' || stage.op === 'shard') this.#addStep(stage)
    else if (stage.op === 'prefetch') this.#addPrefetch(stage)
    else this.#checkPlace(stage.op)
  }

  #addPrefetch(stage: StageOf<'prefetch'>): void {
    if (this.#isNested) throw WrongStageOrder('prefetch belongs to the whole chain').with({ remedy: 'put it last' })
    this.#prefetch = stage
  }

  #addInterleave(stage: StageOf<'interleave'>, index: number): void {
    if (index > 0) throw WrongStageOrder('interleave must be the first stage: it says how shards are read')
    if (!this.#readsShards) throw WrongStageOrder('interleave needs shards, and this source has none')
    this.#interleave = stage
  }

  #addBatch(stage: ChainOrder['batch']): void {
    if (this.#isNested) {
      throw WrongStageOrder('an input of another source gives records, not batches').with({
        remedy: `put ${stage.op} after the source that combines the inputs`,
      })
    }
    if (this.#batch) throw WrongStageOrder('a second batch would make batches of batches')
    this.#batch = stage
  }

  #addShuffle(stage: StageOf<'shuffle'>): void {
    const steps = this.#batch ? this.#batches : this.#records
    if (steps.some(({ op }) => op === 'shuffle'))
      throw WrongStageOrder('a second shuffle changes nothing').with({ remedy: 'keep the one with the larger buffer' })
    if (!this.#batch && this.#isEndless) {
      throw WrongStageOrder('shuffle would have to mix records that never end').with({
        remedy: 'put shuffle before repeat, or give repeat a count',
      })
    }
    this.#addStep(stage)
  }

  #addStep(stage: BatchStep): void {
    if (!this.#batch) this.#records.push(stage)
    else {
      if (this.#epochRepeats > 1 || this.#repeatsUntilTold) {
        throw WrongStageOrder(`${stage.op} after batch and repeat would cross epochs`).with({
          remedy: 'put repeat last',
        })
      }
      this.#batches.push(stage)
    }
    if (stage.op === 'take') this.#isEndless = false
  }

  #addRepeat(stage: StageOf<'repeat'>): void {
    if (this.#batch) {
      this.#epochRepeats *= stage.count ?? 1
      this.#repeatsUntilTold ||= stage.count === undefined
      if (this.#epochRepeats > MOST_EPOCHS) throw TooManyRepeats(this.#epochRepeats, MOST_EPOCHS)
      return
    }
    if (stage.count === undefined) this.#isEndless = true
    else this.#blended *= stage.count
    // Passes that blend are laid end to end in memory, a shard at a time.
    if (this.#blended > MOST_BLENDED)
      throw TooManyRepeats(this.#blended, MOST_BLENDED).with({ remedy: 'put repeat after batch, or lower its count' })
    this.#records.push(stage)
  }

  #checkPlace(op: string): void {
    const kind = opDeclaration(op)?.kind
    if (kind === 'batch') {
      if (!this.#batch) throw WrongStageOrder(`${op} works on whole batches`).with({ remedy: `put ${op} after batch` })
    } else if (kind === 'record' || kind === 'select') {
      if (this.#batch && !ELEMENTWISE.has(op)) {
        throw WrongStageOrder(`${op} works on single records`).with({ remedy: `put ${op} before batch` })
      }
      const cut = this.#records.find((step) => step.op === 'take' || step.op === 'skip' || step.op === 'shard')
      if (kind === 'select' && cut) {
        throw WrongStageOrder(`${op} changes how many records there are, so it cannot come after ${cut.op}`).with({
          remedy: `put ${op} before ${cut.op}`,
        })
      }
    }
  }

  records(): RecordOrder {
    const records = this.#records
    const shuffle = records.find((step) => step.op === 'shuffle')
    return { interleave: this.#interleave, records, shuffle, isEndless: this.#isEndless }
  }

  /** @throws WrongStageOrder when there is no batch, NeverEnds. */
  finish(): ChainOrder {
    const batch = this.#batch
    if (!batch) throw WrongStageOrder('the chain has no batch').with({ remedy: 'add batch(size) after the record ops' })
    if (this.#isEndless) throw NeverEnds()
    return {
      ...this.records(),
      batch,
      batches: this.#batches,
      epochRepeats: this.#epochRepeats,
      repeatsUntilTold: this.#repeatsUntilTold,
      prefetch: this.#prefetch,
    }
  }
}
