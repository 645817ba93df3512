import type { RecordFields } from '@stoker/formats'
import { compileExpand, compileStages } from '@stoker/ops'
import type { RecordRef } from '@stoker/plan'
import { opDeclaration, type Stage } from '@stoker/spec'

/** What one stage made of one record. */
export interface StageResult {
  readonly op: string
  /** Missing when the stage left the record out. */
  readonly fields?: RecordFields
}

/** The way of one record through all stages; a select stage may make several of one, or none. */
export interface Way {
  readonly stages: readonly StageResult[]
  /** The record as a plan counts it; missing when it did not get past the select stages. */
  readonly ref?: RecordRef
  /** Which of several records that one raw record stands for; missing where it stands for itself. */
  readonly part?: number
  /** Why it got no further. */
  readonly error?: unknown
}

export interface RefSource {
  /** Called for each record that is past the select stages. */
  readonly nextRef: () => RecordRef
  /** Key of a record's random draws. */
  readonly keyOf: (ref: RecordRef) => number
}

type Step = (fields: RecordFields, trail: readonly RecordFields[], key: number) => Promise<readonly RecordFields[]>

const kindOf = ({ op }: Stage) => opDeclaration(op)?.kind
const isRandom = ({ op }: Stage) => opDeclaration(op)?.random === true

/**
 * Compiles record and select stages so that what each of them makes can be seen.
 *
 * Random ops number their draws along the chain, so from the first of them on each stage is shown by running all stages
 * from there: then it shows what the job draws.
 */
export function compileSteps(stages: readonly Stage[], salt: number) {
  const random = stages.findIndex(isRandom)
  const lastSelect = stages.findLastIndex((stage) => kindOf(stage) === 'select')
  const steps = stages.map((stage, at): Step => {
    if (kindOf(stage) === 'select') {
      const expand = compileExpand([stage])
      return (fields) => expand(fields)
    }
    if (random < 0 || at < random) {
      const run = compileStages([stage], salt)
      return async (fields) => [await run(fields, { key: 0 })]
    }
    const run = compileStages(stages.slice(random, at + 1), salt)
    return async (fields, trail, key) => [await run(trail[random] ?? fields, { key })]
  })

  /** `trail[i]` are the fields in front of stage i. */
  async function follow(trail: readonly RecordFields[], known: RecordRef | undefined, refs: RefSource): Promise<Way[]> {
    const at = trail.length - 1
    const ref = known ?? (at > lastSelect ? refs.nextRef() : undefined)
    const own = ref ? { ref } : {}
    const [step, op = ''] = [steps[at], stages[at]?.op]
    if (!step) return [{ stages: [], ...own }]
    let made: readonly RecordFields[]
    try {
      made = await step(trail[at] ?? {}, trail, ref ? refs.keyOf(ref) : 0)
    } catch (error) {
      return [{ stages: [], ...own, error }]
    }
    if (made.length === 0) return [{ stages: [{ op }] }]
    const ways: Way[] = []
    for (const [part, fields] of made.entries()) {
      for (const way of await follow([...trail, fields], ref, refs)) {
        const isPart = made.length > 1 && way.part === undefined
        ways.push({ ...way, stages: [{ op, fields }, ...way.stages], ...(isPart ? { part } : {}) })
      }
    }
    return ways
  }
  return (fields: RecordFields, refs: RefSource) => follow([fields], undefined, refs)
}
