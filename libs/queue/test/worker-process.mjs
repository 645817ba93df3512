// A worker in a process of its own, for the test to kill: takes a task, says so, and never finishes.
import { connectRedis, createTaskWorker } from '../dist/index.js'

const [url, lockMs, stallCheckMs] = process.argv.slice(2)
createTaskWorker(
  connectRedis(url, 'queue'),
  (_task, { id }) => {
    process.stdout.write(`${id}\n`)
    return new Promise(() => {})
  },
  { concurrency: 1, lockMs: Number(lockMs), stallCheckMs: Number(stallCheckMs) },
)
