import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createStore } from '@stoker/storage'
import { CommanderError } from 'commander'
import { createClient } from '../client/client.js'
import { apiKey } from '../commands/command.js'
import { JobNotSucceeded } from '../error-table.js'
import { showJob } from '../follow-job.js'
import { canBind } from '../stack/port.js'
import { type Stack, startStack } from '../stack/stack.js'
import { viewText } from '../terminal/error-text.js'
import { reportFailure } from '../terminal/report-failure.js'
import { type DataSet, ensureDataSet } from './data-set.js'
import { type DemoStore, openDemoStore } from './demo-store.js'
import { ensureEngine } from './ensure-engine.js'
import { type DemoOptions, parseDemoOptions } from './options.js'
import { figuresOf, summaryText } from './summary.js'
import { loadTemplate, type Template } from './templates.js'

const DEFAULT_PORT = 7070
const HOST = '127.0.0.1'
const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** `npm run demo`: sets the exit code, 0 only when the job succeeded. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    const options = parseDemoOptions(argv)
    const stateDir = resolve(options.state)
    const store = await openDemoStore(options.store, stateDir)
    try {
      await runDemo(options, stateDir, store)
    } finally {
      await store.stop()
    }
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else process.exitCode = reportFailure(error, false)
  }
}

async function runDemo(options: DemoOptions, stateDir: string, store: DemoStore): Promise<void> {
  const template = await loadTemplate(options.scenario)
  const { recipe } = template
  const engine = await ensureEngine(options.engine, say, say)
  say(`engine  ${engine.kind} ${engine.version} on ${engine.device}`)
  say(`store   ${store.about}`)
  const env = { ...process.env, ...store.env, STOKER_STORE: store.uri }
  const objects = createStore(store.storage)
  const data = await ensureDataSet(objects, store.uri, recipe, say).finally(() => objects.close())
  say(`data    ${data.trainRecords} records (${recipe.about}) in ${data.train}`)

  const port = options.port ?? ((await canBind(HOST, DEFAULT_PORT)) ? DEFAULT_PORT : 0)
  const dataDir = join(stateDir, 'data')
  await mkdir(dataDir, { recursive: true })
  const stack = await startStack({
    ...{ workers: options.workers, host: HOST, port, redisUrl: options.redis, store: store.uri },
    ...{ dataDir, stateDir, env, note: say, tell: (told) => say(JSON.stringify(told)) },
  })
  try {
    await train(options, template, stack, store, data)
    if (options.keep && process.exitCode === 0) await keepRunning(stack)
  } finally {
    await stack.stop()
  }
}

async function train(
  options: DemoOptions,
  { job, recipe }: Template,
  stack: Stack,
  store: DemoStore,
  data: DataSet,
): Promise<void> {
  const client = createClient(stack.api, { key: apiKey() })
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const submittedAt = performance.now()
  const { id } = await client.submit(job(data, options.epochs))
  say(`job     ${id}, page while it runs ${stack.api}/`)
  const view = await showJob(client, id, stopping.signal)
  if (view?.state !== 'succeeded') {
    say(view?.error ? viewText(view.error) : viewText(JobNotSucceeded(id, view?.state ?? 'stopped').toJSON()))
    process.exitCode = 1
    return
  }
  const figures = figuresOf(view)
  const seconds = (performance.now() - submittedAt) / 1000
  const places = options.keep
    ? { page: `${stack.api}/`, model: figures.model, checkpoint: figures.checkpoint }
    : { model: store.lastingPlace(figures.model), checkpoint: store.lastingPlace(figures.checkpoint) }
  say(summaryText(figures, { ...data, about: recipe.about, seconds, places }))
  process.exitCode = 0
  if (options.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
}

async function keepRunning(stack: Stack): Promise<void> {
  say(`The stack stays up at ${stack.api}/ until Ctrl-C. Try it:`)
  say(`  STOKER_URL=${stack.api} npx stoker jobs`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}
