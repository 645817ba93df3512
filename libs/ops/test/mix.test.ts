import type { Tensor } from '@stoker/formats'
import { opDeclaration, type Stage } from '@stoker/spec'
import { expect, it } from 'vitest'
import { compileBatchStages } from '../src/compile.js'

const RECORDS = 8
const SIDE = 6
/** Record r is r * 10 everywhere and of class r. */
const images = (dtype: 'uint8' | 'float32'): Tensor => {
  const data = Array.from({ length: RECORDS * SIDE * SIDE }, (_, at) => Math.floor(at / SIDE ** 2) * 10)
  const shape = [RECORDS, SIDE, SIDE, 1]
  return { dtype, shape, data: dtype === 'uint8' ? Uint8Array.from(data) : Float32Array.from(data) }
}
const labels: Tensor = {
  dtype: 'float32',
  shape: [RECORDS, RECORDS],
  data: Float32Array.from({ length: RECORDS ** 2 }, (_, at) => (at % (RECORDS + 1) === 0 ? 1 : 0)),
}
const mixed = (stage: Stage, key: number, i = images('float32')) =>
  compileBatchStages([stage])({ i, y: labels }, { key }) as { i: Tensor; y: Tensor }
/** Row r of the labels: share of each class. */
const rowsOf = ({ data }: Tensor) =>
  Array.from({ length: RECORDS }, (_, row) =>
    Array.from((data as Float32Array).slice(row * RECORDS, (row + 1) * RECORDS)),
  )
const pixelsOf = ({ data }: Tensor, record: number) =>
  Array.from(data.slice(record * SIDE ** 2, (record + 1) * SIDE ** 2) as Float32Array)

const mixup: Stage = { op: 'mixup', field: 'i', label: 'y', alpha: 0.4 }
const cutmix: Stage = { op: 'cutmix', field: 'i', label: 'y', alpha: 1 }

it('mixup blends images and labels by one share, each record with one partner', () => {
  const shares = new Set<string>()
  for (let key = 0; key < 40; key++) {
    const { i, y } = mixed(mixup, key)
    const rows = rowsOf(y)
    for (const [record, row] of rows.entries()) {
      expect(row.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6)
      // The image's value is the mean of the classes' values by the shares of the label.
      const value = row.reduce((sum, share, label) => sum + share * label * 10, 0)
      for (const pixel of pixelsOf(i, record)) expect(pixel).toBeCloseTo(value, 4)
    }
    // Each record is somebody's partner once: all classes weigh the same.
    for (let label = 0; label < RECORDS; label++)
      expect(rows.reduce((sum, row) => sum + row[label]!, 0)).toBeCloseTo(1, 5)
    shares.add(
      rows
        .flat()
        .find((share) => share > 0 && share < 1)
        ?.toFixed(6) ?? 'none',
    )
  }
  expect(shares.size).toBeGreaterThan(35)
})

it('mixup of pixels rounds to the nearest level', () => {
  for (let key = 0; key < 10; key++) {
    const exact = mixed(mixup, key).i.data as Float32Array
    const pixels = mixed(mixup, key, images('uint8')).i
    expect(pixels.dtype).toBe('uint8')
    for (const [at, value] of (pixels.data as Uint8Array).entries())
      expect(Math.abs(value - exact[at]!)).toBeLessThanOrEqual(0.5001)
  }
})

it('cutmix pastes a rectangle of the partner, and the label says how large it is', () => {
  let pasted = 0
  for (let key = 0; key < 60; key++) {
    const { i, y } = mixed(cutmix, key, images('uint8'))
    for (const [record, row] of rowsOf(y).entries()) {
      const pixels = pixelsOf(i, record)
      const own = pixels.filter((pixel) => pixel === record * 10).length
      const foreign = pixels.find((pixel) => pixel !== record * 10)
      expect(row[record]!).toBeCloseTo(own / SIDE ** 2, 5)
      if (foreign === undefined) continue
      pasted++
      expect(row[foreign / 10]!).toBeCloseTo(1 - own / SIDE ** 2, 5)
      // The pasted pixels are the corners and all between them.
      const places = pixels.flatMap((pixel, at) =>
        pixel === foreign ? [[Math.floor(at / SIDE), at % SIDE] as const] : [],
      )
      const span = (axis: 0 | 1) =>
        Math.max(...places.map((place) => place[axis])) - Math.min(...places.map((place) => place[axis])) + 1
      expect(span(0) * span(1)).toBe(places.length)
    }
  }
  expect(pasted).toBeGreaterThan(200)
})

it('a batch of one stays as it is, and one key gives one result', () => {
  const i: Tensor = { dtype: 'uint8', shape: [1, 2, 2, 1], data: Uint8Array.of(1, 2, 3, 4) }
  const y: Tensor = { dtype: 'float32', shape: [1, 2], data: Float32Array.of(1, 0) }
  for (const stage of [mixup, cutmix]) {
    expect(compileBatchStages([stage])({ i, y }, { key: 5 })).toEqual({ i, y })
    expect(mixed(stage, 9)).toEqual(mixed(stage, 9))
    expect(mixed({ ...stage, seed: 1 } as Stage, 9)).not.toEqual(mixed(stage, 9))
  }
})

it('asks at submission for labels that can be mixed', () => {
  const infer = (label: object) =>
    opDeclaration('mixup')!.infer({ i: { dtype: 'uint8', shape: [2, 2, 1] }, y: label as never }, {
      field: 'i',
      label: 'y',
    } as never)
  expect(infer({ dtype: 'float32', shape: [10] })).toHaveProperty('y')
  expect(() => infer({ dtype: 'int64', shape: [] })).toThrow('needs y as a float vector of class shares')
})
