import { describe, expect, it } from 'vitest'
import { allowedFrom, canBecome, FINISHED, isFinished, JOB_STATES, TRANSITIONS } from '../src/state.js'

describe('states of a job', () => {
  // The whole table, so that a change of it is seen. Rows: from; columns: to, both in the order of JOB_STATES.
  it('allow these changes and no others', () => {
    const table = JOB_STATES.map((from) => JOB_STATES.map((to) => (canBecome(from, to) ? 'x' : '.')).join(''))
    expect(Object.fromEntries(JOB_STATES.map((state, row) => [state, table[row]]))).toEqual({
      pending: '.xxxxxx',
      indexing: '..xxxxx',
      running: '...xxxx',
      paused: 'xxx..xx',
      succeeded: '.......',
      failed: '.......',
      cancelled: '.......',
    })
  })

  it('are finished when nothing leaves them', () => {
    expect(FINISHED).toEqual(['succeeded', 'failed', 'cancelled'])
    for (const state of JOB_STATES) expect(isFinished(state)).toBe(TRANSITIONS[state].length === 0)
  })

  it('that are not finished can be cancelled and can fail', () => {
    for (const state of JOB_STATES.filter((state) => !isFinished(state))) {
      expect(canBecome(state, 'cancelled')).toBe(true)
      expect(canBecome(state, 'failed')).toBe(true)
    }
  })

  it('to come from are those that are legal and that the caller expects', () => {
    expect(allowedFrom('running')).toEqual(['pending', 'indexing', 'paused'])
    expect(allowedFrom('running', ['paused', 'succeeded'])).toEqual(['paused'])
    expect(allowedFrom('pending', ['running'])).toEqual([])
  })
})
