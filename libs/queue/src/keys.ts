/**
 * Every key and channel that Stoker has in Redis is spelled here and nowhere else; scripts receive them.
 *
 * All keys of a job share the hash tag of its root (`a.val` has the tag of `a`), so that one script may change a job
 * and its child together on a Redis Cluster too.
 */
const tagged = (id: string, what: string): string => {
  const dot = id.indexOf('.')
  const root = dot < 0 ? id : id.slice(0, dot)
  return `stoker:{${root}}${id.slice(root.length)}:${what}`
}

export const keys = {
  /** ZSET of jobs that are not finished, by time of creation (ms). */
  live: 'stoker:live',
  /** ZSET of finished jobs, children too, whose batches and tasks are not cleaned away yet, by time of their end (ms). */
  ended: 'stoker:ended',
  /** ZSET of all jobs but children, by time of creation (ms). */
  jobs: 'stoker:jobs',
  /** Channel: the id of a job that a coordinator should look at. */
  wake: 'stoker:wake',
  /** STRING, expires: what the api writes to see whether Redis takes writes. */
  health: 'stoker:health',
  /** STRING, expires: print of the API key that opened a browser's session, by the SHA-256 of the session's secret. */
  session: (sha256: string) => `stoker:session:${sha256}`,
  /** STRING `<id> <specHash>` of the job that an idempotency key made. */
  idempotency: (key: string) => `stoker:idempotency:${key}`,
  /** STREAM that lets a process wake its own blocked reader. */
  nudge: (reader: string, tag?: string) => `stoker:nudge:${tag === undefined ? '' : `{${tag}}:`}${reader}`,

  /** HASH: the job's record. */
  job: (id: string) => tagged(id, 'job'),
  /** STRING: the plan as JSON. */
  plan: (id: string) => tagged(id, 'plan'),
  /** HASH: shard -> number of records. */
  counts: (id: string) => tagged(id, 'counts'),
  /** HASH: `<shard>#<record>` of a record set aside -> JSON {record, why, first seen}. */
  badRecords: (id: string) => tagged(id, 'bad'),
  /** HASH: name -> number. */
  progress: (id: string) => tagged(id, 'progress'),
  /** STREAM of the job's events. */
  events: (id: string) => tagged(id, 'events'),
  /** HASH {holder, token}, expires: the coordinator's lease. */
  lease: (id: string) => tagged(id, 'lease'),
  /** STRING: last fencing token given out. */
  fence: (id: string) => tagged(id, 'fence'),
  /** HASH {epoch, batch}: first batch that was not released. */
  released: (id: string) => tagged(id, 'released'),

  /** HASH {epoch, batch, wantedEpoch, wantedBatch, wantedAt}: first batch not consumed, and what a consumer waits for. */
  cursor: (id: string) => tagged(id, 'cursor'),
  /** ZSET of stored batches, all scores 0, members in order of (epoch, batch). */
  ready: (id: string) => tagged(id, 'ready'),
  /** HASH: member of `ready` -> bytes. */
  sizes: (id: string) => tagged(id, 'sizes'),
  /** HASH of the buffer's counters. */
  bufferStats: (id: string) => tagged(id, 'buffer'),
  /** STREAM on which consumers wait: stored batches, previews, the job's end. */
  readyStream: (id: string) => tagged(id, 'ready-stream'),
  /** STRING: one batch. */
  payload: (id: string, epoch: number, batch: number) => `${tagged(id, 'batch')}:${epoch}:${batch}`,
  /** What `payload` starts with, for scripts that free many. */
  payloadPrefix: (id: string) => `${tagged(id, 'batch')}:`,
  /** STRING, expires: one batch made for looking at. */
  preview: (id: string, epoch: number, batch: number) => `${tagged(id, 'preview')}:${epoch}:${batch}`,
} as const

/** BullMQ queues, and the prefix of BullMQ's own keys. */
export const QUEUES = { tasks: 'stoker-tasks', train: 'stoker-train' } as const
export type QueueName = keyof typeof QUEUES
export const QUEUE_PREFIX = '{stoker}'
