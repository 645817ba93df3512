import type { FormatContext, PageCache, RecordFields } from '@stoker/formats'
import { compileExpand, compileStages, type Expand, type RecordAt, type RecordFunction } from '@stoker/ops'
import { keyOf, type Plan, type ProducerNode, type RecordRef, type SourceNode } from '@stoker/plan'
import { StokerError, toStokerError } from '@stoker/spec'
import { readEach } from './record-faults.js'
import { rawOf } from './selection.js'
import type { OpenShard, ShardIndexes } from './shard-indexes.js'

/** Raw records of one batch, read and ready to be run through the stages. */
export interface RawRecords {
  /** The record behind a ref, after select stages. */
  get(ref: RecordRef): Value<RecordFields>
  /** Shard and raw record behind a ref; of zipped records, those of the first input. */
  at(ref: RecordRef): RecordAt
}

type Value<Result> = Result | Promise<Result>

/** Key of a record's random draws: seed, epoch, record and which of its visits in the epoch. */
export function drawKey(seed: number, epoch: number, ref: RecordRef): number {
  const own = keyOf(seed, epoch, ref.shard, ref.record, ref.copy ?? 0)
  return (ref.parts ?? []).slice(1).reduce((key, part) => keyOf(key, part.shard, part.record), own)
}

/** The refs to records of shards behind a ref: itself, or those of the zipped inputs. */
function leavesOf(ref: RecordRef): RecordRef[] {
  return ref.parts ? ref.parts.flatMap(leavesOf) : [ref]
}

/** Makes records as they stand in front of the wire plan's stages. */
export class RecordSource {
  readonly #plan: Plan
  readonly #indexes: ShardIndexes
  readonly #produce: Produce
  readonly #expands = new Map<SourceNode, Expand>()

  constructor(plan: Plan, indexes: ShardIndexes) {
    this.#plan = plan
    this.#indexes = indexes
    this.#produce = compileProducer(plan.producer)
  }

  /** Reads the raw records of a batch: each shard's in one call, each record once. */
  async read(refs: readonly RecordRef[], context: FormatContext & { pages: PageCache }): Promise<RawRecords> {
    const leaves = refs.flatMap(leavesOf)
    const open = new Map<number, OpenShard>()
    for (const shard of new Set(leaves.map((leaf) => leaf.shard))) open.set(shard, await this.#indexes.get(shard))
    const wanted = new Map<number, Set<number>>()
    for (const { shard, record } of leaves) {
      const selection = open.get(shard)?.selection
      const raw = selection ? rawOf(selection, record).raw : record
      const own = wanted.get(shard)
      if (own) own.add(raw)
      else wanted.set(shard, new Set([raw]))
    }
    const found = new Map<number, Map<number, RecordFields | StokerError>>()
    const readShard = async ([shard, raws]: [number, Set<number>]) => {
      const pin = this.#plan.shards[shard]
      const opened = open.get(shard)
      if (!pin || !opened) throw new Error(`plan ${this.#plan.planHash} has no shard ${shard}`)
      const { format, node, index } = opened
      const asked = [...raws]
      const shardOf = { pin, index, source: node.source }
      const isTolerant = this.#plan.onBadRecord !== 'fail'
      const records = isTolerant
        ? await readEach(format, shardOf, asked, context)
        : await format.read(pin, index, node.source, asked, context)
      found.set(shard, new Map(asked.map((raw, at) => [raw, records[at] ?? {}])))
    }
    await Promise.all([...wanted].map(readShard))
    // Several records of a batch may come from one raw record: it is split once.
    const split = new Map<string, Promise<readonly RecordFields[]>>()
    const at = (ref: RecordRef): RecordAt => {
      const [{ shard, record } = ref] = leavesOf(ref)
      const selection = open.get(shard)?.selection
      return { shard, record: selection ? rawOf(selection, record).raw : record }
    }
    const rawRecord = (shard: number, raw: number): RecordFields => {
      const record = found.get(shard)?.get(raw) ?? {}
      if (record instanceof StokerError) throw record
      return record
    }
    return {
      at,
      get: ({ shard, record }) => {
        const { selection, node } = open.get(shard) ?? {}
        if (!selection || !node) return rawRecord(shard, record)
        const { raw, part } = rawOf(selection, record)
        const key = `${shard}:${raw}`
        const parts = split.get(key) ?? this.#expand(node)(rawRecord(shard, raw), () => ({ shard, record: raw }))
        split.set(key, parts)
        return parts.then((records) => records[part] ?? {})
      },
    }
  }

  /** One record in front of the shared stages. */
  record(ref: RecordRef, raw: RawRecords, seed: number, epoch: number): Value<RecordFields> {
    return this.#produce(ref, { ...raw, keyOf: (one) => drawKey(seed, epoch, one) })
  }

  /** Says which record of which shard an error is about. */
  async placed(error: unknown, ref: RecordRef) {
    return toStokerError(error).with({ place: await this.placeOf(ref) })
  }

  /** Shard, record within it and byte offset of the (first) record behind a ref. */
  async placeOf(ref: RecordRef): Promise<{ shard: string; record: number; offset?: number }> {
    const { shard, index, record } = await this.#rawRecord(ref)
    const offset = index.offsets[record]
    return { shard, record, ...(offset === undefined ? {} : { offset }) }
  }

  /**
   * Records that are gone with this one because nothing behind it can be located: as many as would fit into the rest of
   * the shard at the mean length of those before. 0 for a record that is bad alone.
   */
  async lostBehind(ref: RecordRef): Promise<number> {
    const { index, record } = await this.#rawRecord(ref)
    const offset = index.fault?.place?.offset
    if (!offset || record !== index.count - 1) return 0
    return Math.max(0, Math.round((index.dataBytes - offset) / (offset / record)) - 1)
  }

  async #rawRecord(ref: RecordRef) {
    const [leaf = ref] = leavesOf(ref)
    const { index, selection } = await this.#indexes.get(leaf.shard)
    const record = selection ? rawOf(selection, leaf.record).raw : leaf.record
    return { index, record, shard: index.nameOf?.(record) ?? this.#plan.shards[leaf.shard]?.uri ?? '' }
  }

  #expand(node: SourceNode): Expand {
    const expand = this.#expands.get(node) ?? compileExpand(node.selectStages)
    this.#expands.set(node, expand)
    return expand
  }
}

interface Access extends RawRecords {
  keyOf(ref: RecordRef): number
}
type Produce = (ref: RecordRef, access: Access) => Value<RecordFields>

function compileProducer(node: ProducerNode): Produce {
  if (node.kind === 'source') return (ref, { get }) => get(ref)
  const inputs = node.inputs.map(({ node: input, stages, salt }) => {
    const produce = compileProducer(input)
    return withStages(produce, stages.length > 0 ? compileStages(stages, salt) : undefined)
  })
  if (node.kind === 'all') {
    return async (ref, access) => {
      const parts = await Promise.all(inputs.map((input, at) => input(ref.parts?.[at] ?? ref, access)))
      return Object.assign({}, ...parts) as RecordFields
    }
  }
  const ends = node.inputs.map((input) => endOf(input.node))
  return (ref, access) => {
    const input = inputs[ends.findIndex((end) => ref.shard < end)]
    if (!input) throw new Error(`no input has shard ${ref.shard}`)
    return input(ref, access)
  }
}

function withStages(produce: Produce, run: RecordFunction | undefined): Produce {
  if (!run) return produce
  return async (ref, access) => run(await produce(ref, access), { key: access.keyOf(ref), at: () => access.at(ref) })
}

/** One past the last shard of a node. */
function endOf(node: ProducerNode): number {
  if (node.kind === 'source') return node.first + node.count
  return Math.max(...node.inputs.map((input) => endOf(input.node)))
}
