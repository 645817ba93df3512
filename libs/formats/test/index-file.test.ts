import { crc32c } from '@node-rs/crc32'
import { expect, it } from 'vitest'
import { decodeIndex, encodeIndex } from '../src/index-file.js'
import type { ShardIndex } from '../src/types.js'

const common = { dataUri: 'file:///größe/π.tfrecord', dataEtag: '"abc"', dataBytes: 5e12 }
const lengths = Uint32Array.of(3, 0, 70_000, 4_000_000_000)
const frames: ShardIndex = { ...common, count: 4, offsets: Float64Array.of(0, 19, 35, 70_051), lengths }
const scattered: ShardIndex = { ...common, count: 4, offsets: Float64Array.of(512, 6000, 5e9, 4.9e12), lengths }
const view = { code: 'STK_X', message: 'cut', place: { record: 4 }, retryable: false }

it.each<[string, ShardIndex]>([
  ['frames in a row', frames],
  ['records anywhere', scattered],
  ['records in another order than they lie in', { ...frames, offsets: frames.offsets.toReversed() }],
  ['no record', { ...common, count: 0, offsets: new Float64Array(0), lengths: new Uint32Array(0) }],
  ['one record past the start', { ...common, count: 1, offsets: Float64Array.of(9), lengths: Uint32Array.of(2) }],
  ['a header', { ...frames, meta: 'id,größe' }],
  ['an empty header', { ...frames, meta: '' }],
  ['a fault after its records', { ...scattered, count: 5, meta: 'a', fault: view }],
])('an index with %s comes back as it was stored', (_, index) => {
  expect(decodeIndex(encodeIndex(index))).toEqual(index)
})

it('stores no offsets where they are sums', () => {
  const bytes = (index: ShardIndex) => encodeIndex(index).length
  expect(bytes(scattered) - bytes(frames)).toBe(8 * lengths.length)
})

it('reads as absent when it is cut or any byte of it is damaged', () => {
  const bytes = encodeIndex({ ...scattered, count: 5, meta: 'a', fault: view })
  for (let at = 0; at < bytes.length; at++) {
    expect(decodeIndex(bytes.slice(0, at))).toBeUndefined()
    const damaged = bytes.slice()
    damaged[at] = (damaged[at] ?? 0) ^ 1
    expect(decodeIndex(damaged)).toBeUndefined()
  }
})

/** With the checksum that ends it. */
function stored(hex: string): Uint8Array {
  const body = Buffer.from(hex, 'hex')
  const end = Buffer.alloc(4)
  end.writeUInt32LE(crc32c(body))
  return Buffer.concat([body, end])
}

it('reads version 1, whose records are TFRecord frames in a row', () => {
  const one = stored(
    '53544f4b494458000100000002000000000000000000424009000000010000006' +
      '6696c653a2f2f2f6165000003000000' +
      '01000000',
  )
  expect(decodeIndex(one)).toEqual({
    count: 2,
    dataUri: 'file:///a',
    dataEtag: 'e',
    dataBytes: 36,
    offsets: Float64Array.of(0, 19),
    lengths: Uint32Array.of(3, 1),
  })
})

it('keeps the bytes of version 2, which later versions must still read', () => {
  const index = {
    count: 2,
    dataUri: 'file:///a',
    dataEtag: 'e',
    dataBytes: 36,
    offsets: Float64Array.of(4, 19),
    lengths: Uint32Array.of(3, 1),
    meta: 'm',
  }
  const bytes = stored(
    '53544f4b49445800' + // magic
      '0200000002000000' + // version, spans
      '0000000000004240' + // dataBytes
      '09000000010000000100000000000000' + // bytes of the texts
      '020000000c000000' + // flags, gap
      '0000000000001040' + // first
      '66696c653a2f2f2f61656d' + // texts
      '0000000000' + // pad
      '0300000001000000', // lengths
  )
  expect(Buffer.from(encodeIndex(index)).toString('hex')).toBe(Buffer.from(bytes).toString('hex'))
  expect(decodeIndex(bytes)).toEqual(index)
})

it('reads a later version as absent', () => {
  const bytes = Buffer.from(encodeIndex(frames))
  bytes.writeUInt32LE(3, 8)
  bytes.writeUInt32LE(crc32c(bytes.subarray(0, -4)), bytes.length - 4)
  expect(decodeIndex(bytes)).toBeUndefined()
})
