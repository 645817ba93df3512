import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Pulled, pullBatches, type StokerClient } from '@stoker/cli'
import type { Job } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digitFeed, writeDigitShards } from '../support/digit-shards.js'
import { startTestStack } from '../support/stack.js'

// Whole stacks on a busy machine: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const COUNTS = [120, 90, 75, 130, 61]
const RECORDS = 476
const BATCHES = 30

let dataDir: string
let job: Job
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stoker-order-'))
  job = digitFeed(await writeDigitShards(join(dataDir, 'digits'), COUNTS))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const line = ({ epoch, batch, sha256, records }: Pulled) => `${epoch}:${batch} ${records} ${sha256}`

async function pullAll(client: StokerClient, id: string, afterBatch = async (_taken: number) => {}): Promise<string[]> {
  const lines: string[] = []
  for await (const pulled of pullBatches(client, id)) {
    lines.push(line(pulled))
    await afterBatch(lines.length)
  }
  return lines
}

async function withWorkers(workers: number): Promise<string[]> {
  const stack = await startTestStack({ workers, dataDir })
  try {
    const { id } = await stack.client.submit(job)
    const lines = await pullAll(stack.client, id)
    expect((await stack.client.job(id)).state).toBe('succeeded')
    return lines
  } finally {
    await stack.stop()
  }
}

describe('the sequence of batches', () => {
  let reference: string[]
  beforeAll(async () => {
    reference = await withWorkers(1)
  })

  it('holds every record once an epoch, in another order each epoch', () => {
    expect(reference).toHaveLength(2 * BATCHES)
    const [first, second] = [reference.slice(0, BATCHES), reference.slice(BATCHES)]
    for (const epoch of [first, second]) {
      expect(epoch.reduce((sum, one) => sum + Number(one.split(' ')[1]), 0)).toBe(RECORDS)
    }
    const hashes = (lines: string[]) => lines.map((one) => one.split(' ')[2])
    expect(hashes(first)).not.toEqual(hashes(second))
  })

  it.each([2, 5])('is the same with %i workers', async (workers) => {
    expect(await withWorkers(workers)).toEqual(reference)
  })

  it('is the same after workers are killed in the middle of their work', async () => {
    const stack = await startTestStack({ workers: 2, dataDir })
    try {
      const { id } = await stack.client.submit(job)
      const killed: number[] = []
      const lines = await pullAll(stack.client, id, async (taken) => {
        const worker = stack.processes.workers[taken === 4 ? 0 : 1]
        if ((taken !== 4 && taken !== 20) || !worker) return
        killed.push(worker.pid())
        worker.kill()
      })
      expect(lines).toEqual(reference)
      expect(killed.every((pid) => pid > 0)).toBe(true)
      expect(stack.told.filter(({ event }) => event === 'died')).toHaveLength(2)
    } finally {
      await stack.stop()
    }
  })

  it('goes on exactly where a consumer stopped, and again from any batch', async () => {
    const stack = await startTestStack({ workers: 2, dataDir })
    try {
      const { id } = await stack.client.submit(job)
      const part: string[] = []
      for await (const pulled of pullBatches(stack.client, id, { limit: 7 })) part.push(line(pulled))
      expect(part).toEqual(reference.slice(0, 7))
      const again: string[] = []
      for await (const pulled of pullBatches(stack.client, id, { from: { epoch: 0, batch: 3 }, limit: 6 }))
        again.push(line(pulled))
      expect(again).toEqual(reference.slice(3, 9))
      const rest: string[] = []
      for await (const pulled of pullBatches(stack.client, id, { from: { epoch: 1, batch: 0 } }))
        rest.push(line(pulled))
      expect(rest).toEqual(reference.slice(BATCHES))
    } finally {
      await stack.stop()
    }
  })
})
