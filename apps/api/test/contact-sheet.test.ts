import { encodeBatch, type NamedTensor } from '@stoker/buffer'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { contactSheet } from '../src/views/contact-sheet.js'

const batchOf = (...tensors: NamedTensor[]) =>
  encodeBatch(tensors, { job: 'a', epoch: 0, batch: 0, records: 1, planHash: 'p' })

describe('contactSheet', () => {
  it('shrinks wide sheets and shows at most 64 images', async () => {
    const shape = [200, 48, 48, 3]
    const data = new Uint8Array(200 * 48 * 48 * 3).fill(9)
    const { width, height } = await sharp(
      await contactSheet(batchOf({ name: 'x', dtype: 'uint8', shape, data })),
    ).metadata()
    expect([width, height]).toEqual([391, 391])
    const large = { name: 'x', dtype: 'uint8', shape: [4, 2000, 2000, 1], data: new Uint8Array(16_000_000) } as const
    expect((await sharp(await contactSheet(batchOf(large))).metadata()).width).toBe(1024)
  })

  it('stretches floats between their least and their largest value, and takes images without channels', async () => {
    const values = Float32Array.from({ length: 64 }, (_, index) => -1 + (index * 2) / 63)
    const data = new Uint8Array(values.buffer)
    const label: NamedTensor = { name: 'a', dtype: 'int32', shape: [1], data: new Uint8Array(4) }
    const png = await contactSheet(batchOf(label, { name: 'x', dtype: 'float32', shape: [1, 8, 8], data }))
    const pixels = await sharp(png).extractChannel(0).raw().toBuffer()
    expect([pixels[0], pixels.at(-1)]).toEqual([0, 255])
  })

  it('names the fields of a batch without images', async () => {
    const data = new Uint8Array(12)
    await expect(contactSheet(batchOf({ name: 'value', dtype: 'int32', shape: [3], data }))).rejects.toThrow(
      'value int32[3]',
    )
  })
})
