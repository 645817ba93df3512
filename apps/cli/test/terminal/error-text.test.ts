import { StokerError } from '@stoker/spec'
import { expect, it } from 'vitest'
import { errorText, findingText, viewText } from '../../src/terminal/error-text.js'

it('tells code, what, where and what to do, and never a stack', () => {
  const error = new StokerError('STK_X', 'record is damaged', { remedy: 'write the shard again' }).with({
    place: { shard: 'file:///a', record: 3, offset: 120 },
  })
  expect(errorText(error)).toBe(
    'error STK_X: record is damaged\n  at:     shard file:///a, record 3, offset 120\n  remedy: write the shard again',
  )
})

it('lays a finding of the lint out as an error, and tells its place once', () => {
  const finding = {
    ...({ code: 'STK_SPEC_INVALID', level: 'error', path: 'pipeline.stages[0].size' } as const),
    ...{ message: 'pipeline.stages[0].size: is 0', fix: 'give a whole number' },
  }
  const text = [
    'error STK_SPEC_INVALID: is 0',
    '  at:     pipeline.stages[0].size',
    '  remedy: give a whole number',
  ].join('\n')
  expect(findingText(finding)).toBe(text)
  const { code, message, path, fix } = finding
  expect(viewText({ code, message, place: { path }, remedy: fix })).toBe(text)
})
