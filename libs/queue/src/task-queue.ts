import { type JobsOptions, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { QUEUE_PREFIX, QUEUES, type QueueName } from './keys.js'
import { type AnyTask, PRIORITY, parseTask, queueOf, taskId } from './task.js'

/** Tasks on their way to workers: ids and numbers only. A finished or failed task leaves nothing behind. */
export interface TaskQueue {
  /** Adds a task; while an equal one is live this changes nothing. Returns its id. */
  add(task: AnyTask, options?: { readonly priority?: number }): Promise<string>
  addAll(tasks: readonly AnyTask[]): Promise<readonly string[]>
  /** Whether a task waits, runs or will be tried again. */
  isLive(id: string): Promise<boolean>
  /** Those of the ids that are live. */
  liveOf(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Takes back a job's tasks that no worker holds; returns how many. */
  removeTasks(job: string): Promise<number>
  counts(name: QueueName): Promise<{ readonly waiting: number; readonly active: number; readonly delayed: number }>
  /** Forgets every task, running ones too. */
  obliterate(): Promise<void>
  /** BullMQ's own objects, for a queue board. */
  readonly queues: Readonly<Record<QueueName, Queue>>
  /** Leaves the given connection open. */
  close(): Promise<void>
}

const EVENTS_KEPT = 1_000

const TASK_OPTIONS = {
  // The worker decides how often and when, by the error's code: see task-retry.ts.
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'by-code' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
} as const satisfies JobsOptions

/** @param connection of role `queue` or `command`; stays the caller's. */
export function openTaskQueue(connection: Redis): TaskQueue {
  const open = (name: QueueName) => {
    const queue = new Queue(QUEUES[name], {
      connection,
      prefix: QUEUE_PREFIX,
      streams: { events: { maxLen: EVENTS_KEPT } },
    })
    queue.on('error', () => {}) // the connection itself tells of its faults, see connectRedis
    return queue
  }
  const queues = { tasks: open('tasks'), train: open('train') } as const
  const all = Object.values(queues)

  const row = (given: AnyTask, priority: number = PRIORITY[given.kind]) => {
    const id = taskId(given)
    const data = parseTask(given, id)
    return { name: data.kind, data, opts: { ...TASK_OPTIONS, jobId: id, priority } }
  }

  async function liveOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set()
    const live = new Set<string>()
    const answers = await Promise.all(
      ids.map((id) => connection.exists(...new Set(all.map((queue) => queue.toKey(id))))),
    )
    answers.forEach((count, index) => {
      const id = ids[index]
      if (count > 0 && id !== undefined) live.add(id)
    })
    return live
  }

  return {
    queues,
    liveOf,
    isLive: async (id) => (await liveOf([id])).size > 0,
    add: async (task, options) => {
      const { name, data, opts } = row(task, options?.priority)
      await queues[queueOf(data)].add(name, data, opts)
      return opts.jobId
    },
    addAll: async (tasks) => {
      const rows = tasks.map((task) => row(task))
      for (const [name, queue] of Object.entries(queues)) {
        const own = rows.filter(({ data }) => queueOf(data) === name)
        if (own.length > 0) await queue.addBulk(own)
      }
      return rows.map(({ opts }) => opts.jobId)
    },
    removeTasks: async (job) => {
      let removed = 0
      for (const queue of all) {
        const held = await queue.getJobs(['waiting', 'prioritized', 'delayed'])
        for (const task of held) {
          if (task?.data?.job !== job) continue
          // One that a worker took in the meantime is locked: it finds its job ended by itself.
          await task.remove().then(
            () => removed++,
            () => {},
          )
        }
      }
      return removed
    },
    counts: async (name) => {
      const counts = await queues[name].getJobCounts('waiting', 'prioritized', 'active', 'delayed')
      const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts
      return { waiting: waiting + prioritized, active, delayed }
    },
    obliterate: async () => {
      for (const queue of all) {
        await queue.obliterate({ force: true })
        await queue.resume() // obliterate leaves the queue paused
      }
    },
    close: async () => {
      await Promise.all(all.map((queue) => queue.close()))
    },
  }
}
