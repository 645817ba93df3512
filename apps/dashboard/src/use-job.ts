import { useEffect, useState } from 'preact/hooks'
import { eventsPath, faultOf } from './client.js'
import { followEvents } from './follow-events.js'
import { type Fault, isFinished, type Job } from './job.js'

export interface LoggedEvent {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

export interface FollowedJob {
  readonly job: Job | undefined
  /** Newest first, the latest few. */
  readonly events: readonly LoggedEvent[]
  readonly fault: Fault | undefined
  readonly isConnected: boolean
}

const KEPT_EVENTS = 100
const LOGGED: readonly string[] = ['state', 'epoch', 'step']

/** A job as the server tells it, live. */
export function useJob(id: string): FollowedJob {
  const [job, setJob] = useState<Job>()
  const [events, setEvents] = useState<readonly LoggedEvent[]>([])
  const [fault, setFault] = useState<Fault>()
  const [isConnected, setConnected] = useState(false)
  useEffect(() => {
    const control = new AbortController()
    let last: Job | undefined
    const listener = {
      onOpen: () => setConnected(true),
      onEvent: ({ id, type, data }: { id: string; type: string; data: string }) => {
        if (type === 'job') {
          last = JSON.parse(data) as Job
          setJob(last)
        } else if (LOGGED.includes(type)) {
          const event = { id, type, data: JSON.parse(data) as unknown }
          setEvents((known) => [event, ...known].slice(0, KEPT_EVENTS))
        }
      },
      onLost: () => {
        setConnected(false)
        // The server ends the stream with the job; connecting again would bring nothing.
        return !(last && isFinished(last))
      },
    }
    followEvents(eventsPath(id), listener, control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) setFault(faultOf(error))
    })
    return () => control.abort()
  }, [id])
  return { job, events, fault, isConnected }
}
