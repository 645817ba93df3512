import { StokerError } from '@stoker/spec'
import { expect, it } from 'vitest'
import { errorText } from '../../src/terminal/error-text.js'

it('tells code, what, where and what to do, and never a stack', () => {
  const error = new StokerError('STK_X', 'record is damaged', { remedy: 'write the shard again' }).with({
    place: { shard: 'file:///a', record: 3, offset: 120 },
  })
  expect(errorText(error)).toBe(
    'error STK_X: record is damaged\n  at:     shard file:///a, record 3, offset 120\n  remedy: write the shard again',
  )
})
