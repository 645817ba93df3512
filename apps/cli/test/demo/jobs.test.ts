import { lint, parseJob } from '@stoker/spec'
import { expect, it } from 'vitest'
import { loadTemplate, SCENARIOS } from '../../src/demo/templates.js'

const data = { train: 'file:train-*', test: 'file:test-*' }

it.each(SCENARIOS)('the job of %s is valid, and the lint has nothing to say', async (scenario) => {
  const { job } = await loadTemplate(scenario)
  const checked = parseJob(JSON.parse(JSON.stringify(job(data))))
  expect(checked.validation).toBeDefined()
  expect(checked.epochs).toBeGreaterThan(1)
  expect(lint(checked)).toEqual([])
})
