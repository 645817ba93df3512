import type { RecordFields } from '@stoker/formats'
import { fixedLen, type Stage } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { compileStages } from '../src/index.js'
import { caseOf, failureOf, fixture } from './support.js'

/** Payloads of a sound TFRecord shard, by its own lengths. */
function payloadsOf(shard: Buffer): Uint8Array[] {
  const payloads: Uint8Array[] = []
  for (let at = 0; at < shard.length; ) {
    const length = shard.readUInt32LE(at)
    payloads.push(shard.subarray(at + 12, at + 12 + length))
    at += 16 + length
  }
  return payloads
}

const labels = (...values: bigint[]): RecordFields => ({
  label: { dtype: 'int64', shape: [values.length], data: BigInt64Array.from(values) },
})
const cast = (stage: Omit<Extract<Stage, { op: 'cast' }>, 'op' | 'field'>) =>
  compileStages([{ op: 'cast', field: 'label', ...stage }])

it('label-prec-h: labels beyond 2^24 reach the wire as int32, exactly', async () => {
  const { file, expected } = caseOf('label-prec-h')
  const run = compileStages([
    { op: 'parseExample', features: { label: fixedLen('int64') } },
    { op: 'cast', field: 'label', dtype: 'int32' },
  ])
  const values: number[] = []
  for (const payload of payloadsOf(fixture(`cases/${file as string}`))) {
    const { label } = await run({ record: { dtype: 'string', shape: [], data: payload } }, { key: 0 })
    expect(label).toMatchObject({ dtype: 'int32', shape: [] })
    values.push(Number(label?.data[0]))
  }
  expect(values).toEqual(expected.int32)
})

describe('an int64 that a narrower type cannot hold', () => {
  it.each([
    ['int32', 2_147_483_648n],
    ['int32', -2_147_483_649n],
    ['uint8', -1n],
    ['int8', 128n],
    ['uint16', 65_536n],
    ['int16', -(2n ** 63n)],
  ] as const)('is refused by name: %s %i', async (dtype, value) => {
    const error = await failureOf(async () => cast({ dtype })(labels(1n, value), { key: 0 }))
    expect(error).toMatchObject({ code: 'STK_OPS_CAST_RANGE', place: { op: 'cast', field: 'label' } })
    expect(error.message).toContain(`${value} is out of the range of ${dtype}`)
  })

  it('keeps its low bits where that is asked for, as tf.cast does', async () => {
    const { label } = await cast({ dtype: 'int32', overflow: 'wrap' })(labels(2_147_483_648n, 2n ** 32n + 7n), {
      key: 0,
    })
    expect(label?.data).toEqual(Int32Array.of(-2_147_483_648, 7))
  })

  it('passes at the limits, and to floats', async () => {
    const edge = labels(2_147_483_647n, -2_147_483_648n)
    expect((await cast({ dtype: 'int32' })(edge, { key: 0 })).label?.data).toEqual(
      Int32Array.of(2_147_483_647, -2_147_483_648),
    )
    expect((await cast({ dtype: 'float64' })(labels(2n ** 53n), { key: 0 })).label?.data).toEqual(
      Float64Array.of(2 ** 53),
    )
  })
})
