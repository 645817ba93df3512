import type { BatchAt } from '@stoker/plan'
import { expect, it } from 'vitest'
import { CursorMover } from '../src/io/cursor-mover.js'

it('writes the first place at once, then only the latest of those that came meanwhile', async () => {
  const written: BatchAt[] = []
  const release: (() => void)[] = []
  const mover = new CursorMover(async (at) => {
    written.push(at)
    await new Promise<void>((resolve) => release.push(resolve))
  })
  for (const batch of [1, 2, 3, 4]) mover.move({ epoch: 0, batch })
  expect(written).toEqual([{ epoch: 0, batch: 1 }])
  release.shift()?.()
  await expect.poll(() => written.length).toBe(2)
  expect(written[1]).toEqual({ epoch: 0, batch: 4 })
  release.shift()?.()
  await mover.settled()
  expect(written).toHaveLength(2)
})

it('tells of a failed write at the next move and at the end', async () => {
  const mover = new CursorMover(async () => {
    throw new Error('no redis')
  })
  mover.move({ epoch: 0, batch: 1 })
  await expect(mover.settled()).rejects.toThrow('no redis')
  expect(() => mover.move({ epoch: 0, batch: 2 })).toThrow('no redis')
})
