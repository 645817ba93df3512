import type { FeatureSpec, SequenceFeatureSpec } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { createSequenceExampleParser } from '../src/example/sequence.js'
import { failureOf, golden, spelled } from './support.js'

interface GoldenSequence {
  readonly what: string
  readonly record: string
  readonly context: Record<string, FeatureSpec>
  readonly sequence: Record<string, SequenceFeatureSpec>
  readonly tf: { readonly values?: Record<string, { shape: number[]; values: string[] }>; readonly error?: string }
}

const CODES: [RegExp, string][] = [
  [/could not be found|expected 1, but found 0/, 'STK_EXAMPLE_MISSING'],
  [/Data types don't match/, 'STK_EXAMPLE_TYPE'],
  [/Number of values/, 'STK_EXAMPLE_STEP'],
  [/Invalid protocol message/, 'STK_EXAMPLE_MALFORMED'],
]

const sequences = golden<GoldenSequence[]>('sequence-example.json')

describe('parsing sequences as TensorFlow does', () => {
  it.each(sequences)('$what', async ({ record, context, sequence, tf }) => {
    const parse = createSequenceExampleParser(context, sequence)
    const bytes = Buffer.from(record, 'base64')
    if (tf.values) {
      const fields = Object.entries(parse(bytes))
      expect(
        Object.fromEntries(fields.map(([name, value]) => [name, { shape: value.shape, values: spelled(value) }])),
      ).toEqual(tf.values)
    } else {
      const code = CODES.find(([text]) => text.test(tf.error ?? ''))?.[1]
      expect((await failureOf(() => parse(bytes))).code).toBe(code)
    }
  })
})

it('keeps nothing of the record before', async () => {
  const { record, context, sequence } = sequences.find(({ what }) => what === 'each kind')!
  const parse = createSequenceExampleParser(context, sequence)
  parse(Buffer.from(record, 'base64'))
  expect((await failureOf(() => parse(new Uint8Array(0)))).code).toBe('STK_EXAMPLE_MISSING')
})

it('takes anything that is cut as a coded error or as another sound record', () => {
  const { record, context, sequence } = sequences.find(({ what }) => what === 'each kind')!
  const parse = createSequenceExampleParser(context, sequence)
  const bytes = Buffer.from(record, 'base64')
  let refused = 0
  for (let cut = 0; cut < bytes.length; cut++) {
    try {
      parse(bytes.subarray(0, cut))
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^STK_EXAMPLE_/) })
      refused++
    }
  }
  expect(refused).toBe(bytes.length)
})
