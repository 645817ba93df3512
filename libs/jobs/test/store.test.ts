import { randomBytes } from 'node:crypto'
import type { Plan } from '@stoker/plan'
import { connectRedis, keys, listenWake, RedisUnavailable } from '@stoker/queue'
import { type RunningServer, startRedis } from '@stoker/services'
import type { Job } from '@stoker/spec'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkBadRecords } from '../src/bad-records.js'
import { IdempotencyConflict, JobUnknown, LeaseLost, WrongState } from '../src/error-table.js'
import { childId, type NewJob } from '../src/record.js'
import { FINISHED, JOB_STATES } from '../src/state.js'
import { createJobStore, type JobStore } from '../src/store.js'

let server: RunningServer
let redis: Redis
let store: JobStore
const opened: Redis[] = []
const connect = (role: 'queue' | 'blocking' | 'command') => {
  const connection = connectRedis(server.url, role)
  opened.push(connection)
  return connection
}
beforeAll(async () => {
  server = await startRedis()
  redis = connect('queue')
  store = createJobStore(redis, () => connect('blocking'))
})
afterAll(async () => {
  store.close()
  for (const connection of opened) connection.disconnect()
  await server.stop()
})

const newId = () => randomBytes(13).toString('hex')
const spec: Job = { pipeline: { source: { type: 'range', stop: 10 }, stages: [{ op: 'batch', size: 2 }] } }
// The store never looks into a plan.
const plan = { planHash: 'p', shards: [{ uri: 'range:', size: 0, etag: '' }] } as unknown as Plan
const childPlan = { planHash: 'c', shards: [] } as unknown as Plan
const job = (more: Partial<NewJob> = {}): NewJob => ({ id: newId(), name: 'digits', spec, specHash: 'h', ...more })
const made = async (more: Partial<NewJob> = {}) => (await store.create(job(more), plan)).record.id
const withChild = async () => {
  const { id: _own, ...childJob } = job()
  const { record } = await store.create(job(), plan, { child: { job: childJob, plan: childPlan } })
  return { parent: record.id, child: childId(record.id) }
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}

describe('a new job', () => {
  it('is pending, live, and comes back as it was given', async () => {
    const given = job()
    const { record, created } = await store.create(given, plan)
    expect(created).toBe(true)
    expect(record).toMatchObject({ ...given, state: 'pending' })
    expect(record.createdAt).toBe(new Date(record.createdAt).toISOString())
    expect(await store.get(given.id)).toEqual(record)
    expect(await store.plan(given.id)).toEqual(plan)
    expect(await store.live()).toContain(given.id)
  })

  it('wakes the coordinator', async () => {
    const ready = latch()
    const heard = latch()
    const given = job()
    const listener = listenWake(() => connect('blocking'), {
      onGap: () => ready.resolve(undefined),
      onWake: (id) => id === given.id && heard.resolve(undefined),
    })
    await ready.promise
    await store.create(given, plan)
    await heard.promise
    listener.close()
  })

  it('with a key that was used is the job made then, also when many ask at once', async () => {
    const idempotencyKey = newId()
    const answers = await Promise.all(Array.from({ length: 10 }, () => store.create(job(), plan, { idempotencyKey })))
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ record }) => record.id)).size).toBe(1)
    const conflict = await failure(store.create(job({ specHash: 'other' }), plan, { idempotencyKey }))
    expect(IdempotencyConflict.is(conflict)).toBe(true)
  })

  it('is made by the next one who asks when the first one died on the way', async () => {
    const first = job()
    const idempotencyKey = newId()
    await redis.set(keys.idempotency(idempotencyKey), `${first.id} ${first.specHash}`)
    const { record, created } = await store.create(job(), plan, { idempotencyKey })
    expect({ id: record.id, created }).toEqual({ id: first.id, created: true })
  })

  it('that never was is unknown', async () => {
    for (const work of [store.get('nosuchjob'), store.plan('nosuchjob'), store.setState('nosuchjob', 'running')]) {
      expect(JobUnknown.is(await failure(work))).toBe(true)
    }
    expect(JobUnknown.is(await failure(collect(store.events('nosuchjob'))))).toBe(true)
  })
})

describe('the list', () => {
  it('has the newest first, in pages, without children', async () => {
    await redis.flushall()
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.unshift(await made())
    ids.unshift((await withChild()).parent)
    const first = await store.list({ limit: 2 })
    const second = await store.list({ limit: 2, before: first[1]!.id })
    const third = await store.list({ limit: 2, before: second[1]!.id })
    // Jobs of the same millisecond have no order of their own, but no page repeats or misses one.
    const listed = [...first, ...second, ...third].map(({ id }) => id)
    expect([first.length, second.length, third.length]).toEqual([2, 2, 1])
    expect([...listed].sort()).toEqual([...ids].sort())
    expect(await store.list()).toHaveLength(5)
  })

  it('and the live jobs leave out an id whose job was never written, and forget it after a while', async () => {
    const [young, old] = [newId(), newId()]
    for (const index of [keys.jobs, keys.live]) await redis.zadd(index, Date.now(), young, Date.now() - 120_000, old)
    const listed = (await store.list({ limit: 1000 })).map(({ id }) => id)
    for (const ids of [listed, await store.live()]) {
      expect(ids).not.toContain(young)
      expect(ids).not.toContain(old)
    }
    for (const index of [keys.jobs, keys.live]) {
      expect(await redis.zscore(index, young)).not.toBeNull()
      expect(await redis.zscore(index, old)).toBeNull()
    }
  })
})

describe('a state', () => {
  it('changes along legal ways only, and tells of each change', async () => {
    const id = await made()
    await store.setState(id, 'indexing')
    await store.setState(id, 'running')
    const error = await failure(store.setState(id, 'indexing'))
    expect(WrongState.is(error)).toBe(true)
    expect(error).toMatchObject({ status: 409, message: expect.stringContaining('running') })
    const record = await store.setState(id, 'succeeded', { result: { accuracy: 0.97 } })
    expect(record).toMatchObject({ state: 'succeeded', result: { accuracy: 0.97 } })
    expect(record.finishedAt).toBe(record.updatedAt)
    expect((await collect(store.events(id))).map(({ type, data }) => [type, data])).toEqual([
      ['state', { state: 'pending' }],
      ['state', { state: 'indexing', from: 'pending' }],
      ['state', { state: 'running', from: 'indexing' }],
      ['state', { state: 'succeeded', from: 'running', result: { accuracy: 0.97 } }],
    ])
  })

  it.each(FINISHED)('%s ends the job for good: it is not live, and will be forgotten', async (state) => {
    const id = await made()
    await store.setState(id, state)
    expect(await store.live()).not.toContain(id)
    for (const to of JOB_STATES.filter((other) => other !== state)) {
      expect(WrongState.is(await failure(store.setState(id, to)))).toBe(true)
    }
    expect((await store.get(id)).state).toBe(state)
    for (const key of [keys.job(id), keys.plan(id), keys.events(id)]) expect(await redis.pttl(key)).toBeGreaterThan(0)
  })

  it('keeps the error that failed the job', async () => {
    const id = await made()
    const error = {
      code: 'STK_SHARD_CHANGED',
      message: 'a "quoted" one',
      retryable: false,
      place: { shard: 's3://b/x' },
    }
    expect((await store.setState(id, 'failed', { error })).error).toEqual(error)
    expect((await collect(store.events(id))).at(-1)?.data).toEqual({ state: 'failed', from: 'pending', error })
  })

  it('that the job has already is no error, unless the caller expects another one', async () => {
    const id = await made()
    await store.setState(id, 'cancelled')
    expect((await store.setState(id, 'cancelled')).state).toBe('cancelled')
    expect(await collect(store.events(id))).toHaveLength(2)
    expect(WrongState.is(await failure(store.setState(id, 'cancelled', { from: ['running'] })))).toBe(true)
  })

  it('is changed by one of many who try at once', async () => {
    const id = await made()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.setState(id, n % 2 ? 'succeeded' : 'cancelled')),
    )
    const state = (await store.get(id)).state
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(winners).toHaveLength(10) // all who wanted the state that won
    expect(winners.every(({ value }) => value.state === state)).toBe(true)
    expect(await collect(store.events(id))).toHaveLength(2)
  })

  it('of a paused job remembers where it goes on', async () => {
    const id = await made()
    await store.setState(id, 'indexing')
    expect(await store.setState(id, 'paused')).toMatchObject({ state: 'paused', pausedFrom: 'indexing' })
    expect(await store.setState(id, 'indexing', { from: ['paused'] })).not.toHaveProperty('pausedFrom')
  })
})

describe('a child', () => {
  it.each(FINISHED)('ends with its parent: %s', async (state) => {
    const { parent, child } = await withChild()
    await store.setState(child, 'indexing')
    await store.setState(parent, state)
    expect((await store.get(child)).state).toBe(state)
    expect(await store.live()).not.toContain(child)
    expect((await collect(store.events(child))).at(-1)?.data).toMatchObject({ state, from: 'indexing' })
    expect(await redis.pttl(keys.job(child))).toBeGreaterThan(0)
  })

  it('pauses and goes on with its parent, each where it was', async () => {
    const { parent, child } = await withChild()
    await store.setState(parent, 'running')
    await store.setState(child, 'indexing')
    await store.setState(parent, 'paused')
    expect((await store.get(child)).state).toBe('paused')
    await store.setState(parent, 'running')
    expect((await store.get(child)).state).toBe('indexing')
  })

  it('that fails fails its parent with its error; one that succeeds leaves it alone', async () => {
    const error = { code: 'STK_X', message: 'x', retryable: false }
    const { parent, child } = await withChild()
    await store.setState(child, 'failed', { error })
    expect(await store.get(parent)).toMatchObject({ state: 'failed', error })
    const other = await withChild()
    await store.setState(other.child, 'succeeded')
    expect((await store.get(other.parent)).state).toBe('pending')
  })

  it('is made in one step with its job: no crash leaves the job alone', async () => {
    const given = job()
    const { id: _own, ...childJob } = job({ name: 'validation' })
    // The creator dies right after the step that writes.
    const dying = Object.assign(Object.create(redis) as Redis, { publish: () => Promise.reject(new Error('killed')) })
    const doomed = createJobStore(dying, () => connect('blocking'))
    await failure(doomed.create(given, plan, { child: { job: childJob, plan: childPlan } }))
    doomed.close()
    const child = await store.get(childId(given.id))
    expect(child).toMatchObject({ name: 'validation', parent: given.id, state: 'pending' })
    expect(await store.plan(child.id)).toEqual(childPlan)
    expect(await store.plan(given.id)).toEqual(plan)
    expect(await store.live()).toEqual(expect.arrayContaining([given.id, child.id]))
  })

  it('is made once for many requests with one key, by the one that makes the job', async () => {
    const idempotencyKey = newId()
    const { id: _own, ...childJob } = job()
    const child = { job: childJob, plan: childPlan }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => store.create(job(), plan, { idempotencyKey, child })),
    )
    const [id = ''] = new Set(answers.map(({ record }) => record.id))
    expect((await store.get(childId(id))).parent).toBe(id)
    expect(await redis.xlen(keys.events(childId(id)))).toBe(1)
  })
})

describe('counts and progress', () => {
  it('are kept by shard and by name', async () => {
    const id = await made()
    await store.setCount(id, 0, 100)
    await store.setCount(id, 2, 0)
    expect(await store.counts(id, 4)).toEqual([100, undefined, 0, undefined])
    await store.setProgress(id, { step: 5, loss: 0.25 })
    await store.setProgress(id, {})
    expect(await store.bump(id, 'step', 2)).toBe(7)
    expect(await store.progress(id)).toEqual({ step: 7, loss: 0.25 })
  })
})

describe('events', () => {
  it('come as they happen, and go on after the last one that is known', async () => {
    const id = await made()
    const first = await store.emit(id, 'step', { step: 1 })
    const reader = store.events(id, { after: first })[Symbol.asyncIterator]()
    const next = reader.next()
    await store.emit(id, 'step', { step: 2 })
    expect((await next).value).toMatchObject({ type: 'step', data: { step: 2 } })
    const end = collect({ [Symbol.asyncIterator]: () => reader })
    await store.setState(id, 'cancelled')
    expect((await end).map(({ data }) => data)).toEqual([{ state: 'cancelled', from: 'pending' }])
  })

  it('of a finished job end with its last one, also for a reader who has seen that', async () => {
    const id = await made()
    await store.setState(id, 'cancelled')
    const events = await collect(store.events(id))
    expect(events).toHaveLength(2)
    expect(await collect(store.events(id, { after: events[1]!.id }))).toEqual([])
  })

  it('stop when the signal aborts, or when nothing comes for the given time', async () => {
    const id = await made()
    const control = new AbortController()
    const all = collect(store.events(id, { signal: control.signal }))
    control.abort()
    expect((await all).length).toBeLessThanOrEqual(1)
    expect(await collect(store.events(id, { block: 20 }))).toHaveLength(1)
  })

  it('are trimmed: the log of a job does not grow without end', async () => {
    const id = await made()
    for (let n = 0; n < 120; n++) {
      await Promise.all(Array.from({ length: 100 }, () => store.emit(id, 'tick', null)))
    }
    expect(await redis.xlen(keys.events(id))).toBeLessThan(10_500)
  })
})

describe('a lease', () => {
  it('has one holder, and a higher token for each new one', async () => {
    const id = await made()
    const token = (await store.acquireLease(id, 'a', 60_000))!
    expect(await store.acquireLease(id, 'a', 60_000)).toBe(token)
    expect(await store.acquireLease(id, 'b', 60_000)).toBeUndefined()
    expect(await store.renewLease(id, token, 60_000)).toBe(true)
    expect(await store.releaseLease(id, token)).toBe(true)
    const next = (await store.acquireLease(id, 'b', 60_000))!
    expect(next).toBeGreaterThan(token)
    expect(await store.renewLease(id, token, 60_000)).toBe(false)
    expect(await store.releaseLease(id, token)).toBe(false)
  })

  it('that ran out goes to another one, and the old holder cannot write any more', async () => {
    const id = await made()
    const old = (await store.acquireLease(id, 'a', 60_000))!
    expect(await store.setReleased(id, { epoch: 0, batch: 5 }, old)).toBe(true)
    await redis.pexpire(keys.lease(id), 0)
    const token = (await store.acquireLease(id, 'b', 60_000))!
    expect(token).toBeGreaterThan(old)
    expect(await store.setReleased(id, { epoch: 9, batch: 9 }, old)).toBe(false)
    expect(LeaseLost.is(await failure(store.setState(id, 'running', { token: old })))).toBe(true)
    expect(await store.released(id)).toEqual({ epoch: 0, batch: 5 })
    expect((await store.setState(id, 'running', { token })).state).toBe('running')
  })

  it('is given to exactly one of many who ask at once', async () => {
    const id = await made()
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => store.acquireLease(id, `h${n}`, 60_000)))
    expect(tokens.filter((token) => token !== undefined)).toHaveLength(1)
  })

  it('of a job that was never released says nothing', async () => {
    expect(await store.released(await made())).toBeUndefined()
  })
})

it('without Redis every call fails with a code', async () => {
  const away = await startRedis()
  const connection = connectRedis(away.url, 'command')
  const other = createJobStore(connection, () => connect('blocking'))
  await connection.ping()
  await away.stop()
  expect(RedisUnavailable.is(await failure(other.list()))).toBe(true)
  connection.disconnect()
})

function latch() {
  let resolve: (value: unknown) => void = () => {}
  const promise = new Promise<unknown>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe('the ledger of bad records', () => {
  const line = (record: number, more: object = {}) => ({ shard: 's', record, code: 'C', message: 'm', ...more })

  it('lists each record once, as the earliest batch met it, whatever order batches are made in', async () => {
    const id = await made()
    await store.addBadRecords(id, { epoch: 1, batch: 4 }, [line(7, { standIn: { shard: 's', record: 1 } })])
    await store.addBadRecords(id, { epoch: 0, batch: 9 }, [line(7, { standIn: { shard: 's', record: 2 } }), line(3)])
    await store.addBadRecords(id, { epoch: 0, batch: 9 }, [line(3)])
    expect(await store.badRecords(id)).toMatchObject([
      { record: 3, epoch: 0, batch: 9 },
      { record: 7, epoch: 0, batch: 9, standIn: { record: 2 } },
    ])
    expect(await store.badRecordTotals(id)).toEqual({ listed: 2, lost: 0 })
  })

  it('counts records that are lost behind a listed one, once', async () => {
    const id = await made()
    const torn = [line(7, { lost: 12 })]
    expect(await store.addBadRecords(id, { epoch: 0, batch: 1 }, torn)).toEqual({ listed: 1, lost: 12 })
    expect(await store.addBadRecords(id, { epoch: 1, batch: 1 }, torn)).toEqual({ listed: 1, lost: 12 })
  })
})

describe('maxBadFraction', () => {
  const of = (maxBadFraction: number) => ({ maxBadFraction }) as Plan

  it('is a share of all records, those lost with a shard counted on both sides', () => {
    expect(() => checkBadRecords(of(0.1), [60, 40], { listed: 10, lost: 0 })).not.toThrow()
    expect(() => checkBadRecords(of(0.1), [60, 40], { listed: 11, lost: 0 })).toThrow('11 of 100 records')
    expect(() => checkBadRecords(of(0.5), [1, 1], { listed: 1, lost: 8 })).toThrow('9 of 10 records')
    expect(() => checkBadRecords(of(0), [60, 40], { listed: 0, lost: 0 })).not.toThrow()
  })

  it('waits until all shards are counted, but for a list that is full', () => {
    expect(() => checkBadRecords(of(0.1), [60, undefined], { listed: 50, lost: 0 })).not.toThrow()
    expect(() => checkBadRecords(of(1), [60, undefined], { listed: 100_001, lost: 0 })).toThrow('longest list')
  })
})
