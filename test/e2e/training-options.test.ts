import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeBatch } from '@stoker/buffer'
import { followJob, type JobView } from '@stoker/cli'
import { csv, type Job, pipeline, type Train } from '@stoker/spec'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { digitTraining, writeDigitShards } from '../support/digit-shards.js'
import { runCli, stokerBin } from '../support/run-cli.js'
import { startTestStack, type TestStack } from '../support/stack.js'

// Whole stacks on a busy machine: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let dataDir: string
let stack: TestStack
let files: string
/** A training that stopped early; others start from it. */
let first: JobView
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stoker-options-'))
  files = await writeDigitShards(join(dataDir, 'digits'), [120, 100])
  stack = await startTestStack({ workers: 2, trainer: true, dataDir })
  first = await trained({
    optimizer: {
      ...{ type: 'adamw', weightDecay: 0.01, globalClipNorm: 5 },
      learningRate: { type: 'exponential', learningRate: 0.01, decaySteps: 14, decayRate: 0.5, warmup: { steps: 3 } },
    },
    metrics: ['accuracy', { type: 'topKAccuracy', k: 3 }],
    // No epoch is better than the first one by so much: it ends after the third one.
    earlyStopping: { monitor: 'valLoss', patience: 2, minDelta: 50, restoreBest: true },
    classWeight: { 7: 3 },
    export: ['tfjs', 'keras'],
  })
})
afterAll(async () => {
  await stack?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const job = (train: Partial<Train>, epochs: number): Job => {
  const plain = digitTraining(files, epochs)
  return { ...plain, train: { ...plain.train, ...train } as Train }
}

async function trained(train: Partial<Train>, epochs = 12): Promise<JobView> {
  const { id } = await stack.client.submit(job(train, epochs))
  let last: JobView | undefined
  for await (const view of followJob(stack.client, id)) last = view
  if (!last) throw new Error('the job showed no view')
  return last
}

interface Result {
  readonly epochs: readonly {
    loss: number
    valLoss: number
    valMetrics: Record<string, number>
    learningRate: number
  }[]
  readonly best: { readonly epoch: number; readonly checkpoint: string }
  readonly metrics: Readonly<Record<string, number>>
  readonly model: string
}
const resultOf = ({ error, result }: JobView): Result => {
  expect(error).toBeUndefined()
  return result as unknown as Result
}
const folderOf = (uri: string) => readdir(fileURLToPath(uri))

it('stops early and leaves the best epoch: as a model for browsers, one for Python, and a checkpoint', async () => {
  const result = resultOf(first)
  expect(result).toMatchObject({ stoppedAfter: 2, restoredEpoch: 0, best: { epoch: 0 }, steps: 3 * 14 })
  expect(result.epochs).toHaveLength(3)
  expect(await folderOf(result.model)).toEqual(['model.json', 'model.keras', 'weights.bin'])
  expect(await folderOf(result.best.checkpoint)).toContain('manifest.json')
})

it('tells every metric of each epoch, the learning rate, and what there is so far', () => {
  const result = resultOf(first)
  const [one, two] = result.epochs
  expect(Object.keys(one?.valMetrics ?? {})).toEqual(['accuracy', 'top3Accuracy'])
  expect(result.metrics).toEqual(one?.valMetrics)
  // Step 13 is ten steps behind the warm-up, step 27 twenty-four: half of it in fourteen steps.
  expect(one?.learningRate).toBeCloseTo(0.01 * 0.5 ** (10 / 14), 9)
  expect(two?.learningRate).toBeCloseTo(0.01 * 0.5 ** (24 / 14), 9)
  const { metrics, totalSteps, step } = first.progress as JobView['progress'] & { totalSteps: number }
  expect(metrics?.top3Accuracy).toBeGreaterThan(0)
  expect(totalSteps).toBe(step)
})

it('fine-tunes from the job before: frozen layers stay, so it begins where that one ended', async () => {
  const folder = resultOf(first).model.replace(/\/model$/, '')
  const view = await trained({ model: { kind: 'layers', weights: folder, freeze: ['hidden'] } }, 1)
  const { epochs } = resultOf(view)
  expect(epochs[0]?.loss).toBeLessThan(resultOf(first).epochs[0]?.loss ?? 0)

  const refused = await trained({ model: { kind: 'layers', weights: `${folder}/gone` } }, 1)
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'STK_MODEL_WEIGHTS_MISSING' } })
})

it('stops at a loss that is not finite, and names step, batch and records, which can be looked at', async () => {
  const view = await trained({ optimizer: { type: 'sgd', learningRate: 1e30 } }, 1)
  expect(view).toMatchObject({ state: 'failed', error: { code: 'STK_TRAIN_LOSS_NOT_FINITE', place: { epoch: 0 } } })
  const batch = view.error?.place?.batch ?? -1
  expect(view.error?.message).toMatch(
    new RegExp(`^the loss is \\S+ at step ${batch + 1} \\(epoch 0, batch ${batch}\\): records .*part-\\d.tfrecord.gz`),
  )
  expect(view.error?.remedy).toContain(`stoker preview ${view.id} 0 ${batch}`)
  const out = join(dataDir, 'batch.safetensors')
  const shown = await runCli(['preview', view.id, '0', String(batch), '--json', '--out', out], {
    script: stokerBin,
    env: { STOKER_URL: stack.api },
  })
  expect(shown.stderr).not.toContain('STK_')
  expect(shown.code).toBe(0)
  expect(decodeBatch(new Uint8Array(await readFile(out))).tensors.map(({ name }) => name)).toEqual(['image', 'label'])
})

// Case nan-h of test/fixtures/cases: an empty and a NaN cell in a column of floats.
it.each([
  ['stops at', 'fail'],
  ['leaves out', 'skip'],
] as const)('%s the batch with a cell that is not a number, and names its record', async (_does, policy) => {
  await cp(
    fileURLToPath(new URL('../fixtures/cases/files/csv/missing_values.csv', import.meta.url)),
    join(dataDir, 'x.csv'),
  )
  const columns = [
    { name: 'x', dtype: 'float32', default: 0 },
    { name: 'y', dtype: 'float32' },
  ] as const
  const layer = { class_name: 'Dense', config: { name: 'line', units: 1, batch_input_shape: [null, 1] } }
  const { id } = await stack.client.submit({
    pipeline: pipeline(csv(`file://${dataDir}/x.csv`, { columns: [...columns] }))
      .expandDims('x', 0)
      .batch(1)
      .prefetch(2)
      .toJSON(),
    train: {
      model: { kind: 'layers', topology: { class_name: 'Sequential', config: { name: 'line', layers: [layer] } } },
      label: 'y',
      loss: 'mse',
      metrics: ['mae'],
      epochs: 2,
      onNonFiniteLoss: policy,
    },
  })
  let view: JobView | undefined
  for await (const one of followJob(stack.client, id)) view = one
  if (policy === 'fail') {
    expect(view).toMatchObject({ state: 'failed', error: { place: { epoch: 0, batch: 2 } } })
    expect(view?.error?.message).toMatch(/the loss is NaN at step 3 \(epoch 0, batch 2\): records 2 of file:.*x\.csv$/)
  } else {
    const skipped = { batches: 2, first: [0, 1].map((epoch) => ({ epoch, batch: 2 })) }
    expect(view).toMatchObject({ state: 'succeeded', result: { steps: 8, samples: 6, skipped } })
    // Of the three other records: nothing of what is told is null in place of a number.
    expect(JSON.stringify(view?.result)).not.toMatch(/"(loss|mae)":null/)
  }
})
