import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JobView } from '../src/schemas.js'
import { expectProblem, expectShape, rangeJob, type Stack, startStack } from './helpers/stack.js'

describe('cancel, pause, resume', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(() => stack.stop())

  it('move the job, and answer the same when asked twice', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    for (const [verb, state] of [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['cancel', 'cancelled'],
      ['cancel', 'cancelled'],
    ]) {
      const answer = await stack.call('POST', `/v1/jobs/${id}/${verb}`)
      expect(answer.status).toBe(200)
      expectShape(JobView, answer.json)
      expect(answer.json.state).toBe(state)
    }
  })

  it('let a paused job go on where it was', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const { pausedFrom } = (await stack.call('POST', `/v1/jobs/${id}/pause`)).json
    expect(['pending', 'indexing', 'running']).toContain(pausedFrom)
    const resumed = await stack.call('POST', `/v1/jobs/${id}/resume`)
    expect(resumed.status).toBe(200)
    expect(['pending', 'indexing', 'running']).toContain(resumed.json.state)
    expect((await stack.call('POST', `/v1/jobs/${id}/resume`)).status).toBe(200)
  })

  it('take an empty JSON body as none', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const answer = await stack.call('POST', `/v1/jobs/${id}/pause`, '', { 'content-type': 'application/json' })
    expect(answer.status).toBe(200)
  })

  it('leave a finished job as it is', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    await stack.call('POST', `/v1/jobs/${id}/cancel`)
    for (const verb of ['pause', 'resume']) {
      expectProblem(await stack.call('POST', `/v1/jobs/${id}/${verb}`), 409, 'STK_JOB_STATE')
    }
    expect((await stack.call('GET', `/v1/jobs/${id}`)).json).toMatchObject({ state: 'cancelled' })
  })
})
