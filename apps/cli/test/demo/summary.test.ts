import { describe, expect, it } from 'vitest'
import { digitsRecipe } from '../../src/demo/digits-data.js'
import { summaryText } from '../../src/demo/summary.js'

const figures = {
  ...{ accuracy: 0.9712, steps: 1410, stepsPerSecond: 300, samplesPerSecond: 19_200, inputWaitShare: 0.02 },
  ...{ model: 's3://stoker-demo/models/a', checkpoint: 's3://stoker-demo/checkpoints/a' },
}
const facts = { trainRecords: 18_000, testRecords: 1_000, about: digitsRecipe.about, seconds: 9 }

describe('the summary of the demo', () => {
  it('names no page, and where the files lie, when the stack ends with the run', () => {
    const text = summaryText(figures, { ...facts, places: { model: '/state/s3/m', checkpoint: '/state/s3/c' } })
    expect(text).not.toMatch(/http:|s3:\/\//)
    expect(text).toContain('/state/s3/m')
    expect(text).toContain('--keep')
  })

  it('names the page of a stack that stays', () => {
    const page = 'http://127.0.0.1:7070/'
    expect(summaryText(figures, { ...facts, places: { ...figures, page } })).toContain(page)
  })

  it('explains why 10,000 digits are 18,000 records', () => {
    const text = summaryText(figures, { ...facts, places: figures })
    expect(text).toMatch(/18000 training records from 10,000 digits: 1,000 held out, 9,000 .* one shifted copy/)
  })
})
