import { expect, it } from 'vitest'
import { decodeIndex, encodeIndex } from '../src/index-file.js'
import { frameOffsets } from '../src/tfrecord/frame.js'

const lengths = Uint32Array.of(3, 0, 70_000, 4_000_000_000)
const index = {
  count: 4,
  dataUri: 'file:///größe/π.tfrecord',
  dataEtag: '"abc"',
  dataBytes: 5e12,
  offsets: frameOffsets(lengths),
  lengths,
}

it('comes back as it was stored', () => {
  expect(decodeIndex(encodeIndex(index))).toEqual(index)
  const empty = { ...index, count: 0, offsets: new Float64Array(0), lengths: new Uint32Array(0) }
  expect(decodeIndex(encodeIndex(empty))).toEqual(empty)
})

it('reads as absent when it is cut or any byte of it is damaged', () => {
  const bytes = encodeIndex(index)
  for (let at = 0; at < bytes.length; at++) {
    expect(decodeIndex(bytes.slice(0, at))).toBeUndefined()
    const damaged = bytes.slice()
    damaged[at] = (damaged[at] ?? 0) ^ 1
    expect(decodeIndex(damaged)).toBeUndefined()
  }
})

it('keeps the bytes of version 1, which later versions must still read', () => {
  const small = { ...index, dataUri: 'file:///a', dataEtag: 'e', dataBytes: 19, count: 1 }
  const one = encodeIndex({ ...small, lengths: Uint32Array.of(3), offsets: Float64Array.of(0) })
  expect(Buffer.from(one).toString('hex')).toBe(
    '53544f4b494458000100000001000000000000000000334009000000010000006' +
      '6696c653a2f2f2f61650000' +
      '03000000' +
      Buffer.from(one.subarray(-4)).toString('hex'),
  )
})
