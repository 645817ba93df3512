import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.js'

const cases = fileURLToPath(new URL('../fixtures/cases/files/', import.meta.url))
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-cat-'))
  await mkdir(join(dir, 'shards [1]'))
  await mkdir(join(dir, '.stoker', 'store'), { recursive: true })
  const records = [3, 4].map((id) => encodeExample({ id: { int64: [id] }, text: { bytes: [Buffer.from(`é${id}`)] } }))
  for (const path of ['shards [1]/a.tfrecord', '.stoker/store/b.tfrecord']) {
    await writeFile(join(dir, path), writeTfrecord(records))
  }
  await copyFile(join(cases, 'rec/data_crc_bad_record2.tfrecord'), join(dir, 'bad.tfrecord'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const NOBODY = { STOKER_URL: 'http://127.0.0.1:9', STOKER_REDIS_URL: 'redis://127.0.0.1:9' }
const cat = (args: readonly string[], stdin?: string) =>
  runCli(['cat', ...args], { cwd: dir, env: NOBODY, ...(stdin === undefined ? {} : { stdin }) })

const parse = "parseExample({ id: fixedLen('int64'), text: fixedLen('string') })"

it('prints a record, then what each stage changed, for a path with any characters', async () => {
  await writeFile(
    join(dir, 'spec.mjs'),
    `import { fixedLen, pipeline, tfrecord } from '@stoker/spec'
     export default pipeline(tfrecord('file:none')).${parse}.cast('id', 'float32').scale('id', 0.5).drop(['text']).batch(2)`,
  )
  const { code, stdout, stderr } = await cat(['shards [1]/a.tfrecord', '--spec', 'spec.mjs', '--take', '1'])
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^file:.*shards \[1\]\/a\.tfrecord: record 0 at byte 0$/)
  expect(lines[1]).toMatch(/^ {2}record {2}string\[\] {2}base64:/)
  expect(lines.slice(2)).toEqual([
    ...['  parseExample', '    id    int64[]  3', '    text  string[]  "é3"', '    without record'],
    ...['  cast', '    id  float32[]  3', '  scale', '    id  float32[]  1.5', '  drop', '    without text'],
  ])
})

it('reads the source of a spec, of a whole job too, when none is named', async () => {
  const stages = [
    { op: 'parseExample', features: { id: { kind: 'fixedLen', dtype: 'int64' } } },
    { op: 'batch', size: 9 },
  ]
  const pipeline = { source: { type: 'tfrecord', files: 'file:shards [[]1]/*.tfrecord' }, stages }
  for (const document of [pipeline, { name: 'x', pipeline, epochs: 3 }]) {
    const { code, lines } = await cat(['--spec', '-', '--json'], JSON.stringify(document))
    expect(code).toBe(0)
    expect(lines).toMatchObject([
      { record: 0, offset: 0, stages: [{ op: 'parseExample', fields: { id: { dtype: 'int64', values: ['3'] } } }] },
      { record: 1, stages: [{ fields: { id: { shape: [], values: ['4'] } } }] },
    ])
  }
})

it('takes a source as JSON, a folder, and a shard in a state folder that is named', async () => {
  const range = await cat(['{"type":"range","start":5,"stop":9,"step":2}', '--json'])
  expect(range.lines).toMatchObject([
    { fields: { value: { values: ['5'] } } },
    { fields: { value: { values: ['7'] } } },
  ])
  expect((await cat(['shards [1]/', '--json'])).lines).toHaveLength(2)
  expect((await cat(['.stoker/store/*.tfrecord', '--json'])).lines).toHaveLength(2)
})

it("runs a user's own ops", async () => {
  const module = fileURLToPath(new URL('../fixtures/ops/acme.mjs', import.meta.url))
  const stages = [{ op: 'acme.total', field: 'value', into: 'sum' }]
  const spec = JSON.stringify({ source: { type: 'range', start: 7, stop: 8 }, stages })
  const { lines } = await runCli(['cat', '--spec', '-', '--json'], {
    cwd: dir,
    env: { STOKER_OPS: module },
    stdin: spec,
  })
  expect(lines).toMatchObject([{ stages: [{ op: 'acme.total', fields: { sum: { dtype: 'float32', values: [7] } } }] }])
})

it('tells a bad record by code, offset and reason, goes on, and ends with 3', async () => {
  const { code, stdout } = await cat(['bad.tfrecord'])
  expect(code).toBe(3)
  expect(stdout.match(/: record \d/g)).toHaveLength(6)
  expect(stdout).toMatch(/record 2 at byte 100\n {2}error STK_TFRECORD_DATA_CRC: .*checksum\n {4}remedy: /)
})

it.each([
  [['none-*.tfrecord', '--json'], 1, 'STK_STORAGE_NO_MATCH'],
  [['{"type": }', '--json'], 1, 'STK_CLI_CAT_JSON'],
  [['{"type": "rnage", "stop": 3}', '--json'], 1, 'did you mean "range"'],
  [['bad.tfrecord', '--type', 'tfrecords'], 1, 'did you mean "tfrecord"'],
  [[], 1, 'STK_CLI_CAT_NOTHING'],
  [['bad.tfrecord', '--take', 'x'], 2, 'expected an integer'],
])('says what is wrong with %j', async (args, exitCode, message) => {
  const { code, stderr } = await cat(args)
  expect(code).toBe(exitCode)
  expect(stderr).toContain(message)
})

it('shows text, tables and JSON lines, with the declared columns and features where there is a spec', async () => {
  const text = await cat([join(cases, 'text/crlf.txt'), '--json'])
  expect(text.lines.map((line) => (line as { fields: { line: { values: string[] } } }).fields.line.values[0])).toEqual([
    ...['alpha', 'beta', '', 'gamma'],
  ])
  const table = await cat([join(cases, 'csv/bom_quoted_newline.csv'), '--json'])
  expect(table.lines[0]).toMatchObject({
    fields: { id: { values: ['1'] }, text: { values: ['line one\r\nline two, with comma'], encoding: 'utf8' } },
  })
  const source = { type: 'jsonLines', files: 'file:x', features: { id: { dtype: 'int64' }, t: { dtype: 'string' } } }
  const spec = JSON.stringify({ source, stages: [] })
  const { lines } = await cat([join(cases, 'jsonl/big_ids.jsonl'), '--spec', '-', '--json'], spec)
  expect(lines.map((line) => (line as { fields: { id: { values: string[] } } }).fields.id.values[0])).toEqual([
    ...['9007199254740993', '9196877626998785', '-9007199254740993'],
  ])
})

it('names bad rows of a table one by one, and the good ones around them', async () => {
  const columns = [
    { name: 'a', dtype: 'int64' },
    { name: 'b', dtype: 'float32' },
  ]
  const spec = JSON.stringify({ source: { type: 'csv', files: 'file:x', columns, header: false }, stages: [] })
  const { code, lines } = await cat([join(cases, 'csv/bad/*.csv'), '--spec', '-', '--json'], spec)
  expect(code).toBe(3)
  const told = lines as { shard: string; record: number; error?: { code: string } }[]
  const shown = told.map(({ shard, error }) => [shard.split('/').at(-1), error?.code ?? 'ok'])
  expect(shown).toEqual([
    ['blank_line.csv', 'ok'],
    ['blank_line.csv', expect.stringMatching(/^STK_CSV_/)],
    ['blank_line.csv', 'ok'],
    ...['int64_overflow.csv', 'open_quote.csv', 'question_mark.csv', 'too_few.csv', 'too_many.csv'].map((name) => [
      ...[name, expect.stringMatching(/^STK_/)],
    ]),
  ])
})
