import { toConfig } from './config.js'
import { createContext } from './context.js'
import { readEnv } from './read-env.js'
import { createWorker } from './worker.js'

const config = toConfig(readEnv())
const context = await createContext(config)
const worker = await createWorker(context)
const stop = (signal: string) => {
  context.log.info({ signal }, 'stopping')
  void worker.close()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
context.log.info({ pid: process.pid, threads: config.parallelism }, 'ready')
await worker.closed
await context.close()
// A timer of ioredis outlives its connection by up to a minute; everything of ours is closed by now.
process.exit()
