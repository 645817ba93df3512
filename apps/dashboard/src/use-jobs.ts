import { useEffect, useState } from 'preact/hooks'
import { faultOf, fetchJobs } from './client.js'
import type { Fault, Job } from './job.js'

const LOOK_MS = 2_000

/** The latest jobs, looked at every two seconds while the page can be seen. */
export function useJobs(): { jobs: readonly Job[] | undefined; fault: Fault | undefined } {
  const [jobs, setJobs] = useState<readonly Job[]>()
  const [fault, setFault] = useState<Fault>()
  useEffect(() => {
    const control = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      try {
        if (document.visibilityState === 'visible') {
          setJobs(await fetchJobs(control.signal))
          setFault(undefined)
        }
      } catch (error) {
        if (!control.signal.aborted) setFault(faultOf(error))
      }
      if (!control.signal.aborted) timer = setTimeout(look, LOOK_MS)
    }
    void look()
    return () => {
      control.abort()
      clearTimeout(timer)
    }
  }, [])
  return { jobs, fault }
}
