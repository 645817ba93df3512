import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Schedule, Signature, Train } from '@stoker/spec'
import { createStore, fileUri } from '@stoker/storage'
import { expect, it } from 'vitest'
import {
  addMetrics,
  type DecodedBatch,
  type Engine,
  type EvaluateResult,
  type MetricSums,
  metricValues,
} from '../../src/index.js'

// Written by test/parity/golden_training.py with Keras 3.
interface Table {
  readonly shape: readonly number[]
  readonly values: readonly number[]
}
interface Epoch {
  readonly loss: number
  readonly valLoss: number
  readonly metrics: Readonly<Record<string, number>>
  readonly valMetrics: Readonly<Record<string, number>>
}
export interface GoldenCase {
  readonly name: string
  readonly train: Omit<Train, 'model'>
  readonly topology: object
  readonly start: readonly number[][]
  readonly epochs: readonly Epoch[]
  readonly end: readonly number[][]
}
export interface GoldenHead {
  readonly batch: number
  readonly data: Readonly<Record<'train' | 'held', Readonly<Record<string, Table>>>>
  readonly schedules: readonly { readonly schedule: Schedule; readonly rates: readonly number[] }[]
  readonly auc: readonly { readonly predictions: number[]; readonly labels: number[]; readonly auc: number }[]
}

const file = new URL('../../../../test/fixtures/golden/training.json', import.meta.url)
export const [head, ...cases] = JSON.parse(await readFile(file, 'utf8')) as [GoldenHead, ...GoldenCase[]]

const INTS = new Set(['class'])

/** Records `from` up to `to` of a data set, in the fields that a job names. */
function batchOf(tables: Readonly<Record<string, Table>>, names: readonly string[], from: number, to: number) {
  const tensors = names.map((name) => {
    const { shape, values } = tables[name]!
    const width = values.length / shape[0]!
    const part = values.slice(from * width, to * width)
    const data = INTS.has(name) ? Int32Array.from(part) : Float32Array.from(part)
    const dtype = INTS.has(name) ? ('int32' as const) : ('float32' as const)
    return { name, dtype, shape: [to - from, ...shape.slice(1)], data: new Uint8Array(data.buffer) }
  })
  return { tensors } satisfies DecodedBatch
}

function batchesOf(part: 'train' | 'held', names: readonly string[]): DecodedBatch[] {
  const records = head.data[part].x!.shape[0]!
  const starts = Array.from({ length: Math.ceil(records / head.batch) }, (_, k) => k * head.batch)
  return starts.map((from) => batchOf(head.data[part], names, from, Math.min(records, from + head.batch)))
}

/** Weights as a tfjs layers model in a folder, as the first two layers of the golden model have them. */
async function writeStart(folder: string, { topology, start }: GoldenCase): Promise<string> {
  const [kernel, bias, kernel2, bias2] = start as [number[], number[], number[], number[]]
  const weights = [
    ['hidden/kernel', [kernel.length / bias.length, bias.length]],
    ['hidden/bias', [bias.length]],
    ['out/kernel', [kernel2.length / bias2.length, bias2.length]],
    ['out/bias', [bias2.length]],
  ].map(([name, shape]) => ({ name, shape, dtype: 'float32' }))
  const model = { modelTopology: topology, weightsManifest: [{ paths: ['a.bin'], weights }] }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'model.json'), JSON.stringify(model))
  await writeFile(join(folder, 'a.bin'), new Uint8Array(Float32Array.from(start.flat()).buffer))
  return fileUri(folder)
}

/** Largest difference, relative to values above one. */
function difference(found: ArrayLike<number>, wanted: ArrayLike<number>): number {
  expect(found.length).toBe(wanted.length)
  return Math.max(
    0,
    ...Array.from(wanted, (value, at) => Math.abs((found[at] as number) - value) / Math.max(1, Math.abs(value))),
  )
}

/** Two epochs of every golden case, held against Keras: losses, metrics, held-out ones too, and the last weights. */
export function goldenTrainings(engine: () => Engine, tolerance: number): void {
  it.each(cases.map((one) => [one.name, one] as const))('trains as Keras: %s', async (_name, golden) => {
    const dir = await mkdtemp(join(tmpdir(), 'stoker-golden-'))
    const store = createStore({ fileRoots: [dir] })
    try {
      const train = {
        ...golden.train,
        features: ['x'],
        model: { kind: 'layers', weights: await writeStart(join(dir, 'model'), golden) },
      } as Train
      const names = ['x', train.label!, ...(train.sampleWeight ? [train.sampleWeight] : [])]
      const fields: Signature = Object.fromEntries(
        names.map((name) => [
          name,
          { dtype: INTS.has(name) ? 'int32' : 'float32', shape: head.data.train[name]!.shape.slice(1) },
        ]),
      )
      const model = await engine().createModel(train, { store }, fields, {})
      for (const epoch of golden.epochs) {
        const trained = await gather(batchesOf('train', names), async (batch) => ({
          ...(await model.trainStep(batch)),
          records: batch.tensors[0]!.shape[0]!,
        }))
        const held = await gather(batchesOf('held', names), (batch) => model.evaluate(batch))
        const found = { loss: trained.loss, metrics: trained.metrics, valLoss: held.loss, valMetrics: held.metrics }
        for (const key of ['loss', 'valLoss'] as const)
          expect(difference([found[key]], [epoch[key]]), `${key} ${found[key]} ${epoch[key]}`).toBeLessThan(tolerance)
        for (const key of ['metrics', 'valMetrics'] as const) {
          expect(Object.keys(found[key])).toEqual(Object.keys(epoch[key]))
          for (const [name, value] of Object.entries(epoch[key]))
            expect(
              difference([found[key][name]!], [value]),
              `${key}.${name}: ${found[key][name]} ${value}`,
            ).toBeLessThan(tolerance)
        }
      }
      const bytes = (await model.exportModel()).get('weights.bin')!
      expect(difference(new Float32Array(bytes.buffer), golden.end.flat())).toBeLessThan(tolerance)
      model.dispose()
    } finally {
      await store.close()
      await rm(dir, { recursive: true })
    }
  })
}

async function gather(batches: readonly DecodedBatch[], each: (batch: DecodedBatch) => Promise<EvaluateResult>) {
  let [loss, records]: [number, number] = [0, 0]
  let sums: MetricSums = {}
  for (const batch of batches) {
    const result = await each(batch)
    loss += result.loss * result.records
    records += result.records
    sums = addMetrics(sums, result.metrics)
  }
  return { loss: loss / records, metrics: metricValues(sums) }
}
