import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { followJob, type JobView } from '@stoker/cli'
import type { Job } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digitTraining, writeDigitShards } from '../support/digit-shards.js'
import { startTestStack } from '../support/stack.js'

// Whole stacks on a busy machine: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** So many that the disturbance, told through progress every quarter of a second, comes well before the end. */
const EPOCHS = 16
const STEPS = EPOCHS * 30

let dataDir: string
let job: Job
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stoker-training-'))
  job = digitTraining(await writeDigitShards(join(dataDir, 'digits'), [160, 170, 150]), EPOCHS)
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

interface Losses {
  readonly view: JobView
  /** Mean loss of each epoch, as the result tells it. */
  readonly losses: readonly unknown[]
  readonly died: number
}

/** Trains to the end; `disturb` is called once, when the trainer has done a tenth of the steps. */
async function trainWith(disturb: (trainer: { kill(): void; pid(): number }) => void): Promise<Losses> {
  const stack = await startTestStack({ workers: 2, trainer: true, dataDir })
  const { trainer } = stack.processes
  try {
    const { id } = await stack.client.submit(job)
    let last: JobView | undefined
    let isDisturbed = false
    for await (const view of followJob(stack.client, id)) {
      last = view
      if (isDisturbed || (view.progress.step ?? 0) < STEPS / 10 || !trainer) continue
      isDisturbed = true
      disturb(trainer)
    }
    if (!last) throw new Error('the job showed no view')
    const epochs = (last.result?.epochs ?? []) as { loss: number; valLoss: number }[]
    const model = fileURLToPath(String(last.result?.model))
    expect(await readdir(model)).toContain('model.json')
    const died = stack.told.filter((told) => told.event === 'died').length
    return { view: last, losses: epochs.map(({ loss, valLoss }) => [loss, valLoss]), died }
  } finally {
    await stack.stop()
  }
}

describe('a training job', () => {
  let undisturbed: Losses
  beforeAll(async () => {
    undisturbed = await trainWith(() => {})
  })

  it('goes through every batch, learns, and leaves a model and a checkpoint', () => {
    const { view, losses } = undisturbed
    expect(view).toMatchObject({ state: 'succeeded', result: { steps: STEPS, checkpoint: expect.any(String) } })
    expect(losses).toHaveLength(EPOCHS)
    const [first, ...later] = losses.map((pair) => (pair as number[])[0] ?? 0)
    expect(later.at(-1)).toBeLessThan((first ?? 0) / 2)
    const { stepsPerSecond, inputWaitShare } = view.result as { stepsPerSecond: number; inputWaitShare: number }
    expect(stepsPerSecond).toBeGreaterThan(0)
    expect(inputWaitShare).toBeGreaterThanOrEqual(0)
    expect(inputWaitShare).toBeLessThanOrEqual(1)
  })

  it('has the losses of an undisturbed run after its trainer was killed', async () => {
    const { view, losses, died } = await trainWith((trainer) => trainer.kill())
    expect(view).toMatchObject({ state: 'succeeded', result: { steps: STEPS } })
    expect(died).toBe(1)
    expect(losses).toEqual(undisturbed.losses)
  })

  it('has them, too, after its trainer was asked to end, which hands the job back at once', async () => {
    const { view, losses, died } = await trainWith((trainer) => process.kill(trainer.pid(), 'SIGTERM'))
    expect(view).toMatchObject({ state: 'succeeded', result: { steps: STEPS } })
    expect(died).toBe(1)
    expect(losses).toEqual(undisturbed.losses)
  })
})
