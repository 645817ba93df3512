import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { followJob, type JobView, loadSpec } from '@stoker/cli'
import type { Job } from '@stoker/spec'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestStack, type TestStack } from '../support/stack.js'

// Whole stacks on a busy machine, and downloads of up to 40 MB: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url))

let dataDir: string
let stack: TestStack
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stoker-templates-'))
  stack = await startTestStack({ workers: 2, trainer: true, dataDir })
})
afterAll(async () => {
  await stack?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Writes the data set as its README says. */
async function writeData(name: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(EXAMPLES, name, 'data.mjs'), dataDir])
}

/** Writes a part of the data set: all of the images take longer to make than to train on. */
async function writeSomeData(name: string, records: number): Promise<void> {
  const { recipe } = await import(join(EXAMPLES, name, 'data.mjs'))
  const { files } = await recipe.make(() => {}, records)
  await mkdir(join(dataDir, recipe.name))
  for (const [file, bytes] of files) await writeFile(join(dataDir, recipe.name, file), bytes)
}

async function train(name: string, epochs: number): Promise<JobView | undefined> {
  const job = (await loadSpec(join(EXAMPLES, name, 'job.mjs'))) as Job
  const { id, findings } = await stack.client.submit({ ...job, train: { ...job.train, epochs } } as Job)
  expect(findings).toEqual([])
  let last: JobView | undefined
  for await (const view of followJob(stack.client, id)) last = view
  return last
}

// Each accuracy is on held-out records, and well below what the template reaches in all its epochs (its README says).
it.each([
  { name: 'text', epochs: 3, least: 0.9 },
  { name: 'tabular', epochs: 6, least: 0.9 },
  { name: 'audio', epochs: 4, least: 0.6 },
])('$name: the data set comes out of its package, and the job learns from it', async ({ name, epochs, least }) => {
  await writeData(name)
  const view = await train(name, epochs)
  expect(view).toMatchObject({ state: 'succeeded', result: { accuracy: expect.any(Number) } })
  expect(view?.result?.accuracy).toBeGreaterThan(least)
})

it.each([
  { name: 'digits', records: 2_000, epochs: 2, least: 0.7 },
  { name: 'photos', records: 50, epochs: 1, least: 0 },
])('$name: the job goes through a part of the data set', async ({ name, records, epochs, least }) => {
  await writeSomeData(name, records)
  const view = await train(name, epochs)
  expect(view).toMatchObject({ state: 'succeeded', result: { accuracy: expect.any(Number) } })
  expect(view?.result?.accuracy).toBeGreaterThanOrEqual(least)
})
