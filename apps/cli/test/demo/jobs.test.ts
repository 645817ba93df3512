import { lint, parseJob } from '@stoker/spec'
import { expect, it } from 'vitest'
import { digitsJob } from '../../src/demo/digits-job.js'
import { photosJob } from '../../src/demo/photos-job.js'

const data = { train: 'file:train-*', test: 'file:test-*', trainRecords: 9_000, testRecords: 1_000 }

it.each([
  ['digits', digitsJob(data)],
  ['photos', photosJob(data)],
])('the job of %s is valid, and the lint has nothing to say', (_, job) => {
  const checked = parseJob(JSON.parse(JSON.stringify(job)))
  expect(checked.validation).toBeDefined()
  expect(checked.epochs).toBeGreaterThan(1)
  expect(lint(checked)).toEqual([])
})
