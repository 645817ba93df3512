import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { nearest, parseJob, pipeline, range, suggestion } from '../src/index.js'

const known = ['decodeJpeg', 'decodePng', 'resize', 'cast', 'batch']

it.each([
  ['decodJpeg', 'decodeJpeg'],
  ['decode_jpeg', 'decodeJpeg'],
  ['DecodeJPEG', 'decodeJpeg'],
  ['cats', 'cast'],
  ['bacth', 'batch'],
  ['resise', 'resize'],
])('finds for %s the name %s', (name, meant) => {
  expect(nearest(name, known)).toBe(meant)
})

it('suggests nothing that is far from what stands there, and always lists what there is', () => {
  expect(nearest('frobnicate', known)).toBeUndefined()
  expect(nearest('', known)).toBeUndefined()
  expect(suggestion('frobnicate', ['a', 'b'], 'ops')).toBe('ops: a, b')
  expect(suggestion('resise', known, 'ops')).toMatch(/^did you mean "resize"\? ops: decodeJpeg, /)
})

it('tells a misspelt op of a chain by name, with what was meant and all there are', () => {
  const chain = pipeline(range(3)) as unknown as Record<string, () => unknown>
  expect(() => chain.decodJpeg?.()).toThrow('there is no op "decodJpeg"')
  try {
    chain.decodJpeg?.()
  } catch (error) {
    expect(error).toMatchObject({ code: 'STK_SPEC_UNKNOWN_OP', place: { op: 'decodJpeg' } })
    expect((error as { remedy: string }).remedy).toMatch(/^did you mean "decodeJpeg"\? ops: .*batch/)
  }
})

it('leaves a chain an ordinary object: it can be awaited, printed, spread and compared', async () => {
  const chain = pipeline(range(3)).batch(2)
  expect(await chain).toBe(chain)
  expect(inspect(chain)).toContain('batch')
  expect(`${chain}`).toBe('[object Object]')
  expect(JSON.stringify({ ...chain })).toBe(JSON.stringify(chain))
  expect(chain).not.toEqual(1)
  expect('decodJpeg' in chain).toBe(false)
})

it('says for a misspelt parameter of a JSON spec which one was meant', () => {
  const job = { pipeline: { source: { type: 'range', stop: 3, stpe: 1 }, stages: [{ op: 'batch', size: 1 }] } }
  expect(() => parseJob(job)).toThrow(
    expect.objectContaining({ place: { path: 'pipeline.source.stpe' }, remedy: expect.stringMatching(/"step"/) }),
  )
  expect(() => parseJob({ ...job, epoch: 2 })).toThrow(
    expect.objectContaining({ remedy: expect.stringMatching(/^did you mean "epochs"\?/) }),
  )
})
