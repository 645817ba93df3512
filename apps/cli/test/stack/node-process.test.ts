import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMessageReader, startNodeProcess } from '../../src/stack/node-process.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-node-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal

async function start(name: string, source: string) {
  const script = join(folder, `${name}.mjs`)
  await writeFile(script, source)
  return startNodeProcess(
    {
      ...{ name, script, env: process.env, logFile: join(folder, `${name}.log`), graceMs: 5_000 },
      isReady: async (messages) => messages.has('ready'),
    },
    never,
  )
}

it('is ready when the process says so, and keeps its output in the log file', async () => {
  const running = await start('good', `console.log(JSON.stringify({ msg: 'ready' })); setInterval(() => {}, 1000)`)
  await running.stop()
  expect(await readFile(join(folder, 'good.log'), 'utf8')).toContain('"msg":"ready"')
})

it('fails with its last words when it ends before it is ready', async () => {
  await expect(start('bad', `throw new Error('no port left')`)).rejects.toMatchObject({
    code: 'STK_CLI_NOT_READY',
    message: expect.stringContaining('no port left'),
    remedy: expect.stringContaining('bad.log'),
  })
})

it('reads messages out of lines that come in pieces, between lines that are no JSON', () => {
  const messages: string[] = []
  const read = createMessageReader((message) => messages.push(message))
  for (const piece of ['warning: x\n{"msg":"a"}\n{"m', 'sg":"b"}', '\n{"other":1}\n42\n{"msg":"unfinished"'])
    read(piece)
  expect(messages).toEqual(['a', 'b'])
})
