import type { Redis } from 'ioredis'
import { keys } from './keys.js'

export interface WakeListener {
  /** A job that wants to be looked at: it is new, changed its state, or its cursor moved. */
  readonly onWake: (job: string) => void
  /** Calls may have been missed: at the start, and after the connection was lost. */
  readonly onGap: () => void
}

/**
 * Listens for jobs that want a coordinator's look. A wake is a hint, never the only way to learn of something.
 *
 * @param blocking opens a connection of role `blocking`, which the listener closes.
 */
export function listenWake(blocking: () => Redis, { onWake, onGap }: WakeListener): { close(): void } {
  const redis = blocking()
  redis.on('message', (_channel: string, job: string) => onWake(job))
  // ioredis subscribes again by itself after a reconnect, but before that message come and go unheard.
  const subscribe = () => {
    redis.subscribe(keys.wake).then(onGap, () => {})
  }
  redis.on('ready', subscribe)
  if (redis.status === 'ready') subscribe()
  return { close: () => redis.disconnect() }
}

export async function wake(redis: Redis, job: string): Promise<void> {
  await redis.publish(keys.wake, job)
}
