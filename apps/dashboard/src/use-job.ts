import { useEffect, useState } from 'preact/hooks'
import { eventsPath, faultOf, fetchJob } from './client.js'
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
const LOGGED = ['state', 'epoch', 'step'] as const

/** A job as the server tells it, live. The browser connects again by itself and goes on where it was. */
export function useJob(id: string): FollowedJob {
  const [job, setJob] = useState<Job>()
  const [events, setEvents] = useState<readonly LoggedEvent[]>([])
  const [fault, setFault] = useState<Fault>()
  const [isConnected, setConnected] = useState(false)
  useEffect(() => {
    const control = new AbortController()
    const source = new EventSource(eventsPath(id))
    let last: Job | undefined
    source.onopen = () => setConnected(true)
    source.onerror = () => {
      setConnected(false)
      // The server ends the stream with the job; connecting again would bring nothing.
      if (last && isFinished(last)) source.close()
      // A refusal closes it for good: ask for the reason.
      else if (source.readyState === EventSource.CLOSED)
        fetchJob(id, control.signal).then(setJob, (error: unknown) => {
          if (!control.signal.aborted) setFault(faultOf(error))
        })
    }
    source.addEventListener('job', ({ data }) => {
      last = JSON.parse(data) as Job
      setJob(last)
    })
    for (const type of LOGGED) {
      source.addEventListener(type, ({ data, lastEventId }) => {
        const event = { id: lastEventId, type, data: JSON.parse(data) as unknown }
        setEvents((known) => [event, ...known].slice(0, KEPT_EVENTS))
      })
    }
    return () => {
      control.abort()
      source.close()
    }
  }, [id])
  return { job, events, fault, isConnected }
}
