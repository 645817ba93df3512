import { describe, expect, it, test } from 'vitest'
import {
  csv,
  fixedLen,
  fixedLenSequence,
  jsonLines,
  type PipelineBuilder,
  parseJob,
  pipeline,
  textLines,
  tfrecord,
  varLen,
} from '../src/index.js'

const check = (chain: PipelineBuilder) => parseJob(JSON.parse(JSON.stringify({ pipeline: chain }))).checked
const refusal = (chain: PipelineBuilder) => {
  try {
    check(chain)
  } catch (error) {
    return error
  }
  throw new Error('it was not refused')
}

const columns = [
  { name: 'x', dtype: 'float32', default: 0 },
  { name: 'y', dtype: 'int64' },
  { name: 'note', dtype: 'string' },
] as const

describe('what the consumer gets', () => {
  it.each([
    [csv('file:*.csv', { columns, selectCols: ['x', 'y'] }), { x: 'float32[]', y: 'int64[]' }],
    [
      jsonLines('file:*.jsonl', { 'a.b': { dtype: 'uint8', shape: [2, 3] }, id: { dtype: 'int64' } }),
      { 'a.b': 'uint8[2,3]', id: 'int64[]' },
    ],
  ])('from a source of files', (source, fields) => {
    const { recordSignature } = check(pipeline(source).batch(2))
    const spelled = Object.entries(recordSignature).map(([name, { dtype, shape }]) => [name, `${dtype}[${shape}]`])
    expect(Object.fromEntries(spelled)).toEqual(fields)
  })

  test('from lines as numbers', () => {
    const { sourceSignature, recordSignature } = check(
      pipeline(textLines('file:*.txt')).stringToNumber('line', 'int64').batch(2),
    )
    expect(sourceSignature).toEqual({ line: { dtype: 'string', shape: [] } })
    expect(recordSignature).toEqual({ line: { dtype: 'int64', shape: [] } })
  })

  test('from features of any length', () => {
    const chain = pipeline(tfrecord('file:*.tfrecord'))
      .parseExample({
        image: fixedLen('string'),
        ids: varLen('int64'),
        first: varLen('float32', { length: 4, pad: -1 }),
        boxes: fixedLenSequence('float32', [4]),
      })
      .decodeRaw('image', 'uint8', { fixedLength: 16 })
      .paddedBatch(2)
    expect(check(chain).sourceSignature).toEqual({ record: { dtype: 'string', shape: [] } })
  })

  test('from sequences', () => {
    const chain = pipeline(tfrecord('file:*.tfrecord'))
      .parseSequenceExample({
        context: { label: fixedLen('int64') },
        sequence: { steps: fixedLenSequence('float32', [3]), words: varLen('int64') },
      })
      .paddedBatch(2)
    const { recordSignature } = check(chain)
    expect(Object.keys(recordSignature).sort()).toEqual(['label', 'steps', 'words'])
  })
})

describe('what is refused when a job is submitted', () => {
  const records = () => pipeline(tfrecord('file:x'))
  it.each<[string, PipelineBuilder, string, RegExp]>([
    [
      'two columns of one name',
      pipeline(csv('x', { columns: [columns[0], columns[0]] })).batch(1),
      'STK_SPEC_COLUMN_TWICE',
      /"x"/,
    ],
    [
      'a column that is not declared',
      pipeline(csv('x', { columns, selectCols: ['z'] })).batch(1),
      'STK_SPEC_COLUMN_UNKNOWN',
      /x, y, note/,
    ],
    [
      'a default of another type',
      pipeline(csv('x', { columns: [{ name: 'a', dtype: 'int32', default: 'many' }] })).batch(1),
      'STK_SPEC_LITERAL',
      /"many" is no int32/,
    ],
    [
      'a default out of range',
      pipeline(csv('x', { columns: [{ name: 'a', dtype: 'int32', default: 2 ** 31 }] })).batch(1),
      'STK_SPEC_LITERAL',
      /from -2147483648 to 2147483647/,
    ],
    [
      'a delimiter of two characters',
      pipeline(csv('x', { columns, fieldDelim: '||' })).batch(1),
      'STK_SPEC_INVALID',
      /fieldDelim/,
    ],
    [
      'an open dimension that is not the first',
      pipeline(jsonLines('x', { a: { dtype: 'int64', shape: [2, null] } })).batch(1),
      'STK_SPEC_LITERAL',
      /only the first/,
    ],
    [
      'too few values of a default',
      pipeline(jsonLines('x', { a: { dtype: 'int64', shape: [3], default: [1, 2] } })).batch(1),
      'STK_SPEC_LITERAL',
      /needs 3 values/,
    ],
    [
      'a default of a feature',
      records()
        .parseExample({ a: fixedLen('int64', [], 1.5) })
        .batch(1),
      'STK_SPEC_LITERAL',
      /1.5 is no int64/,
    ],
    [
      'a sequence that may not be missing',
      records()
        .parseExample({ a: fixedLenSequence('int64', [], { allowMissing: false }) })
        .batch(1),
      'STK_SPEC_ALLOW_MISSING',
      /parseSequenceExample|allowMissing/,
    ],
    [
      'one name in context and sequence',
      records()
        .parseSequenceExample({ context: { a: fixedLen('int64') }, sequence: { a: varLen('int64') } })
        .batch(1),
      'STK_SPEC_FIELD_TAKEN',
      /"a"/,
    ],
    [
      'bytes that are no whole elements',
      records().decodeRaw('record', 'int32', { fixedLength: 6 }).batch(1),
      'STK_SPEC_SHAPE',
      /6 is no multiple of the 4 bytes/,
    ],
    [
      'an unknown compression',
      pipeline(textLines('x', { compression: 'BZIP2' as never })).batch(1),
      'STK_SPEC_INVALID',
      /compression/,
    ],
  ])('%s', (_, chain, code, text) => {
    expect(refusal(chain)).toMatchObject({
      code,
      message: expect.stringMatching(text),
      place: { path: expect.any(String) },
    })
  })
})

test('compression is found by the first bytes unless it is set', () => {
  const { pipeline: filled } = check(
    pipeline(tfrecord('file:x'))
      .parseExample({ a: fixedLen('int64') })
      .batch(1),
  )
  expect(filled.source).toMatchObject({ compression: 'AUTO' })
})
