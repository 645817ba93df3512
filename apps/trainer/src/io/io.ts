import { WrongState } from '@stoker/jobs'
import { type AnyTask, createTaskWorker } from '@stoker/queue'
import { type StokerError, toStokerError } from '@stoker/spec'
import type { IoContext } from './context.js'
import { startHealth } from './health.js'
import { runTrainTask } from './train-task.js'

export interface Io {
  /** Takes no new job; the one in hand saves a checkpoint and is handed back. Safe to call twice. */
  close(): Promise<void>
}

/** Takes training jobs from the queue, one at a time: one engine a process is enough. */
export async function startIo(context: IoContext): Promise<Io> {
  const { config, log, jobs, redis } = context
  const drain = new AbortController()
  const tasks = createTaskWorker(
    redis,
    async (task, { id, signal }) => {
      if (task.kind === 'train') await runTrainTask(context, task, id, { lost: signal, drain: drain.signal })
    },
    {
      queue: 'train',
      concurrency: 1,
      lockMs: config.lockMs,
      stallCheckMs: Math.ceil(config.lockMs / 2),
      onFailed: (task, error) => failJob(task, error),
      onError: (error) => log.warn({ err: error.toJSON() }, 'trainer fault'),
    },
  )

  async function failJob(task: AnyTask, error: StokerError): Promise<void> {
    log.error({ job: task.job, err: error.toJSON(), cause: String(error.cause ?? '') }, 'training failed')
    try {
      await jobs.setState(task.job, 'failed', { error: error.toJSON() })
    } catch (fault) {
      // It was ended in another way, or is forgotten.
      if (!WrongState.is(fault) && toStokerError(fault).code !== 'STK_JOB_UNKNOWN') throw fault
    }
  }

  const health = config.health && (await startHealth(config.health, redis, () => tasks.state))
  let closing: Promise<void> | undefined
  return {
    close: () => {
      closing ??= (async () => {
        drain.abort()
        await tasks.close({ graceMs: config.graceMs })
        await health?.close()
        await context.close()
      })()
      return closing
    },
  }
}
