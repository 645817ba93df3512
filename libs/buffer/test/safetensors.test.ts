import { readFileSync } from 'node:fs'
import { crc32c } from '@node-rs/crc32'
import { DTYPE_BYTES } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { BatchCorrupt, BatchHeaderInvalid, BatchLayoutInvalid, BatchTruncated } from '../src/error-table.js'
import { allocateBatch, decodeBatch, encodeBatch } from '../src/safetensors.js'
import { batchSha256 } from '../src/sha256.js'
import { typedView } from '../src/typed-view.js'
import { METADATA, TENSORS } from './golden/case.js'

const golden = (name: string) => new Uint8Array(readFileSync(new URL(`./golden/${name}`, import.meta.url)))
const headerBytes = (bytes: Uint8Array) => Number(Buffer.from(bytes).readBigUInt64LE(0))
const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** The batch with another header over the same payload. */
function withHeader(bytes: Uint8Array, change: (header: Record<string, never>) => unknown): Uint8Array {
  const at = 8 + headerBytes(bytes)
  const header = JSON.parse(Buffer.from(bytes.subarray(8, at)).toString())
  const text = Buffer.from(JSON.stringify(change(header) ?? header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return new Uint8Array(Buffer.concat([length, text, bytes.subarray(at)]))
}

describe('a batch', () => {
  const encoded = encodeBatch(TENSORS, METADATA)

  it('decodes to the tensors and the metadata it was made of, in name order', () => {
    const { tensors, metadata } = decodeBatch(encoded)
    expect(tensors.map(({ name }) => name)).toEqual(TENSORS.map(({ name }) => name).sort())
    for (const tensor of TENSORS) {
      const found = tensors.find(({ name }) => name === tensor.name)!
      expect(found.dtype).toBe(tensor.dtype)
      expect(found.shape).toEqual(tensor.shape)
      expect(Buffer.compare(found.data, tensor.data)).toBe(0)
    }
    expect(metadata).toMatchObject(METADATA)
    expect(metadata.crc32c).toMatch(/^[0-9a-f]{8}$/)
  })

  it('starts its payload at a multiple of 8 and each tensor at a multiple of its element', () => {
    expect((8 + headerBytes(encoded)) % 8).toBe(0)
    for (const { dtype, data } of decodeBatch(encoded).tensors) {
      expect((data.byteOffset - encoded.byteOffset) % DTYPE_BYTES[dtype]).toBe(0)
    }
  })

  it('hands out views, not copies', () => {
    for (const { data } of decodeBatch(encoded).tensors) expect(data.buffer).toBe(encoded.buffer)
  })

  it('has the same bytes whatever order its tensors are given in', () => {
    expect(Buffer.compare(encodeBatch([...TENSORS].reverse(), METADATA), encoded)).toBe(0)
  })

  // Made by Python's safetensors, see golden/make-golden.py.
  it('reads what Python writes', () => {
    const { tensors, metadata } = decodeBatch(golden('batch.python.safetensors'))
    expect(metadata).toMatchObject(METADATA)
    expect(tensors).toHaveLength(TENSORS.length)
    for (const { name, dtype, shape, data } of TENSORS) {
      const found = tensors.find((tensor) => tensor.name === name)!
      expect({ dtype: found.dtype, shape: found.shape }).toEqual({ dtype, shape })
      expect(Buffer.compare(found.data, data)).toBe(0)
    }
  })

  // The script reads these very bytes with Python's safetensors and its CRC32C; a change here is a change of the format.
  it('writes what Python reads', async () => {
    await expect(Buffer.from(encoded).toString('base64')).toMatchFileSnapshot('./golden/batch.stoker.base64')
  })

  it('gives elements as typed arrays, also when its bytes lie at an odd place', () => {
    const odd = new Uint8Array(encoded.length + 1)
    odd.set(encoded, 1)
    for (const bytes of [encoded, odd.subarray(1)]) {
      const { tensors } = decodeBatch(bytes)
      const label = tensors.find(({ name }) => name === 'label')!
      expect([...(typedView(label) as BigInt64Array)]).toEqual([7n, -3n])
      const weight = tensors.find(({ name }) => name === 'weight')!
      expect([...(typedView(weight) as Float32Array)]).toEqual([0.5, -1.25])
    }
  })

  it('is filled in place, in given memory too', () => {
    const fields = TENSORS.map(({ name, dtype, shape }) => ({ name, dtype, shape }))
    const memory = new Uint8Array(new SharedArrayBuffer(encoded.length + 100)).fill(255)
    for (const into of [undefined, memory]) {
      const batch = allocateBatch({ fields, metadata: METADATA, ...(into ? { into } : {}) })
      expect(batch.view('image').every((byte) => byte === 0)).toBe(true)
      for (const { name, data } of TENSORS) batch.view(name).set(data)
      const bytes = batch.finish()
      expect(Buffer.compare(bytes, encoded)).toBe(0)
      if (into) expect(bytes.buffer).toBe(into.buffer)
      expect(decodeBatch(bytes).tensors).toHaveLength(TENSORS.length)
    }
  })

  it('without tensors is a batch of no bytes', () => {
    expect(decodeBatch(encodeBatch([], METADATA)).tensors).toEqual([])
  })

  it('refuses tensors that do not fit their shape, have an impossible one, or share a name', () => {
    const one = { name: 'a', dtype: 'int32', shape: [2], data: new Uint8Array(8) } as const
    expect(BatchLayoutInvalid.is(thrown(() => encodeBatch([{ ...one, data: new Uint8Array(7) }], METADATA)))).toBe(true)
    expect(BatchLayoutInvalid.is(thrown(() => encodeBatch([{ ...one, shape: [-1] }], METADATA)))).toBe(true)
    expect(BatchLayoutInvalid.is(thrown(() => encodeBatch([{ ...one, shape: [1.5] }], METADATA)))).toBe(true)
    expect(BatchLayoutInvalid.is(thrown(() => encodeBatch([one, one], METADATA)))).toBe(true)
  })
})

describe('a damaged batch', () => {
  const good = encodeBatch(TENSORS, METADATA)

  it('is found out wherever a byte of its payload is changed', () => {
    const payloadAt = 8 + headerBytes(good)
    for (let at = payloadAt; at < good.length; at++) {
      const bad = good.slice()
      bad[at] = (bad[at] ?? 0) ^ 0x10
      const error = thrown(() => decodeBatch(bad))
      expect(BatchCorrupt.is(error)).toBe(true)
      if (BatchCorrupt.is(error)) expect(error.place).toMatchObject({ epoch: 1, batch: 2 ** 32 })
    }
  })

  it('is found out at every length it may be cut to, and when bytes are added', () => {
    for (let length = 0; length < good.length; length++) {
      const error = thrown(() => decodeBatch(good.slice(0, length)))
      expect(BatchTruncated.is(error) || BatchHeaderInvalid.is(error)).toBe(true)
    }
    expect(BatchTruncated.is(thrown(() => decodeBatch(new Uint8Array([...good, 0]))))).toBe(true)
  })

  it('never makes the decoder throw anything but its own errors, whatever byte of the header is changed', () => {
    for (let at = 0; at < 8 + headerBytes(good); at++) {
      for (const flip of [1, 0x20, 0x80]) {
        const bad = good.slice()
        bad[at] = (bad[at] ?? 0) ^ flip
        try {
          decodeBatch(bad)
        } catch (error) {
          expect([BatchCorrupt, BatchHeaderInvalid, BatchTruncated].some((kind) => kind.is(error))).toBe(true)
        }
      }
    }
  })

  it.each([
    ['a gap', { a: { dtype: 'U8', shape: [1], data_offsets: [1, 2] } }],
    [
      'an overlap',
      { a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] }, b: { dtype: 'U8', shape: [1], data_offsets: [1, 2] } },
    ],
    ['an unknown dtype', { a: { dtype: 'F8', shape: [2], data_offsets: [0, 2] } }],
    ['a shape that says otherwise', { a: { dtype: 'U8', shape: [3], data_offsets: [0, 2] } }],
    ['offsets that run backwards', { a: { dtype: 'U8', shape: [], data_offsets: [2, 1] } }],
    ['a shape that is no list', { a: { dtype: 'U8', shape: '2', data_offsets: [0, 2] } }],
    ['a row that is null', { a: null }],
  ])('with %s in its header is refused', (_what, rows) => {
    const small = encodeBatch([{ name: 'a', dtype: 'uint8', shape: [2], data: Uint8Array.of(1, 2) }], METADATA)
    const bad = withHeader(small, ({ __metadata__ }) => ({ __metadata__, ...rows }))
    expect(BatchHeaderInvalid.is(thrown(() => decodeBatch(bad)))).toBe(true)
  })

  it('without its metadata is refused', () => {
    const bad = withHeader(good, ({ __metadata__: _, ...rows }) => rows)
    expect(BatchHeaderInvalid.is(thrown(() => decodeBatch(bad)))).toBe(true)
  })
})

describe('the SHA-256 of a batch', () => {
  it('is over the bytes of its tensors in name order, and over nothing else', () => {
    const bytes = encodeBatch(TENSORS, METADATA)
    expect(batchSha256(bytes)).toBe(batchSha256([...TENSORS].reverse()))
    expect(batchSha256(encodeBatch(TENSORS, { ...METADATA, job: 'other', epoch: 9 }))).toBe(batchSha256(bytes))
    const changed = TENSORS.map((tensor) => (tensor.name === 'i8' ? { ...tensor, data: Uint8Array.of(1, 2) } : tensor))
    expect(batchSha256(changed)).not.toBe(batchSha256(bytes))
    // sha256 of "ab": tensors a and b of one byte each.
    const letters = ['b', 'a'].map((name) => ({ name, dtype: 'uint8', shape: [1], data: Buffer.from(name) }) as const)
    expect(batchSha256(letters)).toBe('fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603')
  })
})

// RFC 3720, appendix B.4: so that the checksum is CRC32C and not its better-known sister.
it('the checksum is CRC32C', () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa)
})
