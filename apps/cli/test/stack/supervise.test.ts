import { startChildServer } from '@stoker/services'
import { expect, it } from 'vitest'
import { supervise, type Told } from '../../src/stack/supervise.js'

/** Ready when it has said so, as the processes of a stack are. */
async function sleeper() {
  let isUp = (): void => {}
  const up = new Promise<void>((done) => {
    isUp = done
  })
  const child = await startChildServer('/bin/sh', ['-c', 'echo up; exec sleep 600'], { onOutput: () => isUp() })
  await up
  return child
}

/** Tells of the supervisor, awaited one by one. */
function createTells() {
  const told: Told[] = []
  const waiting: ((one: Told) => void)[] = []
  return {
    tell: (one: Told) => {
      const next = waiting.shift()
      if (next) next(one)
      else told.push(one)
    },
    next: () =>
      new Promise<Told>((done) => {
        const one = told.shift()
        if (one) done(one)
        else waiting.push(done)
      }),
  }
}

it('starts a process anew when it dies, and tells so', async () => {
  const tells = createTells()
  const supervised = await supervise('sleeper', sleeper, tells.tell)
  const first = supervised.pid()
  supervised.kill()
  expect(await tells.next()).toMatchObject({ event: 'died', name: 'sleeper', lastWords: 'up' })
  const restarted = await tells.next()
  expect(restarted).toMatchObject({ event: 'restarted', name: 'sleeper' })
  expect(supervised.pid()).not.toBe(first)
  await supervised.stop()
})

it('waits longer after each failed start, and gives up only when it is stopped', async () => {
  const tells = createTells()
  let starts = 0
  const start = async () => {
    starts++
    if (starts > 1) throw new Error(`start ${starts} failed`)
    return sleeper()
  }
  const supervised = await supervise('sleeper', start, tells.tell)
  supervised.kill()
  const first = await tells.next()
  const second = await tells.next()
  expect(first).toMatchObject({ event: 'died', restartMs: 250 })
  expect(second).toMatchObject({ event: 'died', restartMs: 500, lastWords: 'start 2 failed' })
  await supervised.stop()
  expect(supervised.pid()).toBe(0)
})

it('leaves no process behind when it is stopped, also twice', async () => {
  const supervised = await supervise('sleeper', sleeper, () => {})
  const pid = supervised.pid()
  await Promise.all([supervised.stop(), supervised.stop()])
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
})

it('hands the failure of the first start to the caller', async () => {
  await expect(
    supervise(
      'nothing',
      () => Promise.reject(new Error('no program')),
      () => {},
    ),
  ).rejects.toThrow('no program')
})
