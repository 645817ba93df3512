import { describe, expect, test } from 'vitest'
import { parseJob, type StokerError, toStokerError } from '../src/index.js'

const source = { type: 'range', stop: 100 }
const chain = (...stages: object[]) => ({ pipeline: { source, stages } })
const batch = { op: 'batch', size: 7 }

function refusal(document: unknown): StokerError {
  try {
    parseJob(document)
  } catch (error) {
    return toStokerError(error)
  }
  throw new Error(`accepted: ${JSON.stringify(document)}`)
}

const WRONG: [name: string, document: unknown, code: string, path: string, remedy: RegExp][] = [
  ['no object', 'x', 'STK_SPEC_INVALID', '(the document)', /object/],
  ['null', null, 'STK_SPEC_INVALID', '(the document)', /object/],
  ['no pipeline', {}, 'STK_SPEC_INVALID', 'pipeline', /./],
  ['an unknown property', { ...chain(batch), sede: 1 }, 'STK_SPEC_INVALID', 'sede', /seed/],
  [
    'an unknown source',
    { pipeline: { source: { type: 'csvv' }, stages: [] } },
    'STK_SPEC_UNKNOWN_SOURCE',
    'pipeline.source.type',
    /tfrecord/,
  ],
  ['an unknown op', chain({ op: 'bach', size: 3 }), 'STK_SPEC_UNKNOWN_OP', 'pipeline.stages[0].op', /batch/],
  ['a prototype name as op', chain({ op: 'constructor' }), 'STK_SPEC_UNKNOWN_OP', 'pipeline.stages[0].op', /batch/],
  ['a stage without op', chain({}), 'STK_SPEC_INVALID', 'pipeline.stages[0].op', /op/],
  [
    'a parameter of the wrong type',
    chain({ op: 'batch', size: '7' }),
    'STK_SPEC_INVALID',
    'pipeline.stages[0].size',
    /whole number/,
  ],
  [
    'a misspelt parameter',
    chain({ op: 'batch', size: 7, dropRemaind: true }),
    'STK_SPEC_INVALID',
    'pipeline.stages[0].dropRemaind',
    /dropRemainder/,
  ],
  [
    'a knob of the wrong word',
    chain(batch, { op: 'prefetch', depth: 'AUTO' }),
    'STK_SPEC_INVALID',
    'pipeline.stages[1].depth',
    /AUTOTUNE/,
  ],
  [
    'a zero step',
    { pipeline: { source: { ...source, step: 0 }, stages: [batch] } },
    'STK_SPEC_INVALID',
    'pipeline.source.step',
    /./,
  ],
  [
    'a range past 2^52 numbers',
    {
      pipeline: {
        source: { type: 'range', start: -Number.MAX_SAFE_INTEGER, stop: Number.MAX_SAFE_INTEGER },
        stages: [batch],
      },
    },
    'STK_SPEC_RANGE_TOO_LONG',
    'pipeline.source',
    /shorten/,
  ],
  [
    'endless passes',
    chain({ op: 'repeat', count: 2 ** 20 }, batch),
    'STK_SPEC_TOO_MANY_REPEATS',
    'pipeline.stages[0]',
    /after batch/,
  ],
  ['no batch', chain(), 'STK_SPEC_STAGE_ORDER', 'pipeline.stages', /batch/],
  ['two batches', chain(batch, batch), 'STK_SPEC_STAGE_ORDER', 'pipeline.stages[1]', /^$/],
  [
    'decoding numbers',
    chain({ op: 'decodeJpeg', field: 'value' }, batch),
    'STK_SPEC_FIELD_TYPE',
    'pipeline.stages[0]',
    /^$/,
  ],
  [
    'a field that is not there',
    chain({ op: 'cast', field: 'vale', dtype: 'int32' }, batch),
    'STK_SPEC_MISSING_FIELD',
    'pipeline.stages[0]',
    /name/,
  ],
  [
    'scaling whole numbers',
    chain({ op: 'scale', field: 'value', factor: 2 }, batch),
    'STK_SPEC_FIELD_TYPE',
    'pipeline.stages[0]',
    /cast\('value', 'float32'\)/,
  ],
  ['interleave over a range', chain({ op: 'interleave' }, batch), 'STK_SPEC_STAGE_ORDER', 'pipeline.stages[0]', /^$/],
  ['endless repeat', chain(batch, { op: 'repeat' }), 'STK_SPEC_INVALID', 'pipeline.stages', /count/],
  ['endless repeat before batch', chain({ op: 'repeat' }, batch), 'STK_SPEC_NEVER_ENDS', 'pipeline.stages', /count/],
  ['a bad size', { ...chain(batch), bufferBytes: '3 MB' }, 'STK_SPEC_INVALID', 'bufferBytes', /./],
  [
    'bytes on the wire',
    { pipeline: { source: { type: 'tfrecord', files: 'file:x' }, stages: [batch] } },
    'STK_SPEC_BYTES_ON_WIRE',
    'pipeline.stages',
    /decode/,
  ],
  [
    'training without a label',
    { ...chain(batch), train: { model: { kind: 'savedModel', uri: 'file:m' } } },
    'STK_SPEC_INVALID',
    'pipeline.stages',
    /value/,
  ],
]

describe('refuses with code, path and remedy', () => {
  test.each(WRONG)('%s', (_name, document, code, path, remedy) => {
    const error = refusal(document)
    expect([error.code, error.place?.path]).toEqual([code, path])
    expect(error.remedy ?? '').toMatch(remedy)
    expect(error.status).toBe(400)
  })
})

test('fills in defaults, so that what means the same has the same hash', () => {
  const short = parseJob(chain(batch))
  const long = parseJob({
    name: 'a name changes nothing',
    seed: 0,
    epochs: 1,
    deterministic: true,
    wire: 'auto',
    strict: false,
    bufferBytes: '256MiB',
    pipeline: { stages: [{ size: 7, op: 'batch', dropRemainder: false }], source: { step: 1, start: 0, ...source } },
  })
  expect(short.specHash).toBe(long.specHash)
  expect(parseJob({ ...chain(batch), seed: 1 }).specHash).not.toBe(short.specHash)
})

test('counts epochs as passes times repeats after batch', () => {
  expect(parseJob({ ...chain(batch, { op: 'repeat', count: 3 }), epochs: 2 }).epochs).toBe(6)
  expect(parseJob({ ...chain(batch, { op: 'repeat' }), epochs: 2 }).epochs).toBe(2)
})

test('reads sizes in bytes', () => {
  const sizes = ['1024', '1KiB', 1024, '1.5 MiB'].map(
    (bufferBytes) => parseJob({ ...chain(batch), bufferBytes }).bufferBytes,
  )
  expect(sizes).toEqual([1024, 1024, 1024, 1.5 * 2 ** 20])
})

test('a deep or odd document is refused, not followed', () => {
  let deep: unknown = {}
  for (let i = 0; i < 5000; i++) deep = { a: deep }
  expect(refusal({ pipeline: deep }).code).toBe('STK_SPEC_INVALID')
  expect(refusal(JSON.parse('{"__proto__": {"pipeline": 1}}')).code).toBe('STK_SPEC_INVALID')
})
