import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeTfrecord } from '@stoker/formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.js'

const cases = fileURLToPath(new URL('../fixtures/cases/', import.meta.url))
const manifest = JSON.parse(readFileSync(join(cases, 'manifest.json'), 'utf8')) as { id: string; expected: unknown }[]
// biome-ignore lint/suspicious/noExplicitAny: each case has expectations of its own form
const expectedOf = (id: string): any => manifest.find((one) => one.id === id)?.expected

interface Line {
  readonly shard: string
  readonly record?: number
  readonly offset?: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly fields?: any
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly stages?: any[]
  readonly error?: { code: string; message: string; place: { record?: number; offset?: number; field?: string } }
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-cat-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function cat(file: string, args: readonly string[] = [], stages?: readonly object[]) {
  const spec = stages && JSON.stringify({ source: { type: 'tfrecord', files: 'file:x' }, stages })
  const path = file.startsWith('/') ? file : join(cases, 'files', file)
  const withSpec = spec === undefined ? [] : ['--spec', '-']
  const { code, lines, stderr } = await runCli(['cat', path, '--json', ...withSpec, ...args], { stdin: spec ?? '' })
  return { code, lines: lines as Line[], stderr }
}

const fixed = (dtype: string, more: object = {}) => ({ kind: 'fixedLen', dtype, ...more })
const parse = (features: object) => [{ op: 'parseExample', features }]
const ids = parse({ id: fixed('int64') })
const idsOf = (lines: readonly Line[]) =>
  lines.filter(({ error }) => !error).map(({ stages }) => Number(stages?.at(-1)?.fields.id.values[0]))
const badOf = (lines: readonly Line[]) => lines.filter(({ error }) => error)

describe('TFRecord shards', () => {
  it.each([
    ['rec-trunc-h', 'rec/truncated_last_data.tfrecord'],
    ['rec-trunc-h2', 'rec/missing_last_byte.tfrecord'],
  ])('%s: whole records, then the place of the cut', async (id, file) => {
    const { code, lines } = await cat(file)
    const { records_before_end, record_bytes, sha256_of_concatenation } = expectedOf(id).tf
    const sound = lines.filter(({ error }) => !error)
    expect(sound).toHaveLength(records_before_end)
    expect(sound.map(({ fields }) => fields.record.bytes)).toEqual(record_bytes)
    const all = Buffer.concat(sound.map(({ fields }) => Buffer.from(fields.record.values[0], fields.record.encoding)))
    expect(createHash('sha256').update(all).digest('hex')).toBe(sha256_of_concatenation)
    expect(badOf(lines)).toMatchObject([
      { record: 5, offset: 280, error: { code: 'STK_TFRECORD_TRUNCATED', place: { record: 5, offset: 280 } } },
    ])
    expect(code).toBe(3)
  })

  it('rec-crc-h: a flipped bit costs one record, and the next ones follow', async () => {
    const { code, lines } = await cat('rec/data_crc_bad_record2.tfrecord', [], ids)
    expect(idsOf(lines)).toEqual([0, 1, 3, 4, 5])
    expect(badOf(lines)).toMatchObject([{ record: 2, offset: 100, error: { code: 'STK_TFRECORD_DATA_CRC' } }])
    expect(code).toBe(3)
  })

  it('rec-crc-h2: in a GZIP shard too, with the offset in the unpacked stream', async () => {
    const { lines } = await cat('rec/footer_bad_record4.tfrecord.gz', [], ids)
    expect(idsOf(lines)).toEqual([0, 1, 2, 3, 5])
    expect(badOf(lines)).toMatchObject([{ record: 4, offset: 215, error: { code: 'STK_TFRECORD_DATA_CRC' } }])
  })

  it('rec-len-h: a length beyond the file is no record', async () => {
    const { lines } = await cat('rec/length_2gib_plus.tfrecord', [], ids)
    expect(idsOf(lines)).toEqual([0])
    expect(badOf(lines)).toMatchObject([{ record: 1, offset: 50, error: { code: 'STK_TFRECORD_TRUNCATED' } }])
  })

  it('rec-empty-h: no, empty and single records; an empty Example takes defaults or is refused by name', async () => {
    const raw = await cat('rec/empty/part-*.tfrecord')
    expect(raw.code).toBe(0)
    expect(raw.lines.map(({ shard, fields }) => [shard.slice(-8), fields.record.bytes])).toEqual([
      ['tfrecord', 34],
      ['tfrecord', 0],
      ['tfrecord', 34],
      ['tfrecord', 34],
    ])
    const withDefault = await cat('rec/empty/part-00001.tfrecord', [], parse({ id: fixed('int64', { default: -1 }) }))
    expect(idsOf(withDefault.lines)[1]).toBe(-1)
    const { code, lines } = await cat('rec/empty/part-00001.tfrecord', [], ids)
    expect(code).toBe(3)
    expect(badOf(lines)).toMatchObject([{ record: 1, error: { code: 'STK_EXAMPLE_MISSING', place: { record: 1 } } }])
    expect(badOf(lines)[0]?.error?.message).toContain('"id"')
    expect(idsOf(lines)).toHaveLength(2)
  })

  it.each([
    ['gz-multi-h', 'gz/two_members_cut_in_record3.tfrecord.gz', [0, 1, 2, 3, 4, 5], 0],
    ['gz-mismatch-h (GZIP under a plain name)', 'gz/gzip_under_plain_name.tfrecord', [0, 1, 2, 3, 4, 5], 0],
    ['gz-mismatch-h (plain under a .gz name)', 'gz/plain_under_gz_name.tfrecord.gz', [0, 1, 2, 3, 4, 5], 0],
    ['gz-mismatch-h2 (padded with zeros)', 'gz/zero_padded.tfrecord.gz', [0, 1, 2, 3, 4, 5], 0],
    ['gz-mismatch-h2 (cut stream)', 'gz/truncated_stream.tfrecord.gz', [0, 1, 2, 3, 4], 3],
  ])('%s', async (_, file, wanted, exitCode) => {
    const { code, lines } = await cat(file, [], ids)
    expect(idsOf(lines)).toEqual(wanted)
    expect(code).toBe(exitCode)
    if (exitCode === 3) expect(badOf(lines)).toMatchObject([{ record: 5, error: { place: { record: 5 } } }])
  })
})

describe('tf.train.Example', () => {
  const float = (text: string) => Buffer.from(text.replace('f32le:', ''), 'hex').readFloatLE()
  const valuesAt = (lines: readonly Line[], record: number, field: string) =>
    lines.find((line) => line.record === record)?.stages?.at(-1)?.fields[field]?.values

  it('ex-missing-h: defaults where a feature is absent, a refusal that names it where it is required', async () => {
    const { records } = expectedOf('ex-missing-h')
    const features = { a: fixed('int64', { default: -1 }), b: fixed('float32', { shape: [2], default: [0.5, 1.5] }) }
    const file = 'example/missing_and_empty.tfrecord'
    const { lines } = await cat(file, ['--take', '4'], parse(features))
    for (const record of [0, 1, 2]) {
      expect(valuesAt(lines, record, 'a')).toEqual([records[record].tf.a])
      expect(valuesAt(lines, record, 'b')).toEqual(records[record].tf.b.map(float))
    }
    expect(lines[3]).toMatchObject({ record: 3, error: { place: { op: 'parseExample', field: 'a' } } })
    const required = await cat(file, ['--skip', '4', '--take', '2'], parse({ a: fixed('int64') }))
    expect(required.lines.map(({ record, error }) => [record, error?.code])).toEqual([
      [4, 'STK_EXAMPLE_MISSING'],
      [5, 'STK_EXAMPLE_MISSING'],
    ])
    const variable = await cat(file, ['--skip', '6'], parse({ a: { kind: 'varLen', dtype: 'int64' } }))
    expect(variable.lines.map(({ stages }) => stages?.[0].fields.a)).toMatchObject([
      { dtype: 'int64', shape: [0], values: records[6].tf.a },
      { dtype: 'int64', shape: [0], values: records[7].tf.a },
    ])
  })

  it('ex-packed-h: packed and unpacked lists give equal values', async () => {
    const features = { a: { kind: 'varLen', dtype: 'int64' }, f: { kind: 'varLen', dtype: 'float32' } }
    const { lines } = await cat('example/unpacked_lists.tfrecord', ['--take', '2'], parse(features))
    const [first, second] = expectedOf('ex-packed-h').records
    for (const [record, { tf }] of [first, second].entries()) {
      expect(valuesAt(lines, record, 'a')).toEqual(tf.a)
      expect(valuesAt(lines, record, 'f')).toEqual(tf.f.map(float))
    }
    const single = await cat('example/unpacked_lists.tfrecord', ['--skip', '2'], parse({ a: fixed('int64') }))
    expect(valuesAt(single.lines, 2, 'a')).toEqual(['5'])
  })

  it('ex-int64-h: every digit of an int64', async () => {
    const [all, ...labels] = expectedOf('ex-int64-h').records
    const file = 'example/int64_extremes.tfrecord'
    const { lines } = await cat(file, ['--take', '1'], parse({ a: fixed('int64', { shape: [8] }) }))
    expect(valuesAt(lines, 0, 'a')).toEqual(all.tf.a)
    const single = await cat(file, ['--skip', '1'], parse({ a: fixed('int64') }))
    expect([1, 2].map((record) => valuesAt(single.lines, record, 'a'))).toEqual(
      labels.map(({ tf }: { tf: { a: string } }) => [tf.a]),
    )
  })

  it('ex-shape-h: a count that does not fit the shape is refused, neither cut nor padded', async () => {
    const { lines } = await cat('example/fixed_shapes.tfrecord', [], parse({ a: fixed('int64', { shape: [2, 2] }) }))
    expect(lines[0]?.stages?.[0].fields.a).toMatchObject({ shape: [2, 2], values: ['1', '2', '3', '4'] })
    expect(badOf(lines).map(({ record, error }) => [record, error?.code, error?.place.field])).toEqual([
      [1, 'STK_EXAMPLE_COUNT', 'a'],
      [2, 'STK_EXAMPLE_COUNT', 'a'],
    ])
  })
})

describe('images', () => {
  const IMAGES = [
    ...(['img-cmyk-h', 'img-cmyk-h2', 'img-rgbjpeg-h', 'img-png16-h', 'img-exif-h', 'img-trunc-h2'] as const),
    ...(['img-gray-h', 'img-dct-h', 'img-pngpal-h', 'img-pngpal-h2', 'img-mislabel-h'] as const),
  ]
  const fileOf = (id: string): string =>
    [(manifest.find((one) => one.id === id) as { file?: string })?.file].flat()[0] ?? ''
  const BAD = ['files/img/truncated_60pct.jpg', 'files/img/really_bmp.jpg', 'files/img/gzipped.JPEG']

  it(`${IMAGES.join(', ')}: pixels of TensorFlow; img-trunc-h, img-mislabel-h2: refused by name`, async () => {
    const files = [...IMAGES.map(fileOf), ...BAD]
    const shard = join(dir, 'images.tfrecord')
    await writeFile(shard, writeTfrecord(files.map((file) => readFileSync(join(cases, file)))))
    const { code, lines } = await cat(shard, [], [{ op: 'decodeJpeg', field: 'record', channels: 3 }])
    expect(lines).toHaveLength(files.length)
    for (const [at, id] of IMAGES.entries()) {
      const { shape, sha256, dtype } = expectedOf(id).decode
      expect(lines[at]?.stages?.[0].fields.record, id).toMatchObject({ shape, sha256, dtype })
    }
    const bad = lines.slice(IMAGES.length)
    expect(bad.map(({ record, error }) => [record, /^STK_IMAGE_/.test(error?.code ?? '')])).toEqual(
      BAD.map((_, at) => [IMAGES.length + at, true]),
    )
    expect(bad[2]?.error?.message).toMatch(/gzip/i)
    expect(code).toBe(3)
  })
})
