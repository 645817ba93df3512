import { useEffect, useState } from 'preact/hooks'
import { JobList } from './job-list.js'
import { JobPage } from './job-page.js'

const jobOf = (hash: string): string | undefined => /^#\/jobs\/([a-z0-9.]+)$/.exec(hash)?.[1]

/** The job that the address names; undefined is the list. */
function useJobInAddress(): string | undefined {
  const [job, setJob] = useState(() => jobOf(location.hash))
  useEffect(() => {
    const follow = () => setJob(jobOf(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return job
}

export function App() {
  const job = useJobInAddress()
  return (
    <>
      <header class="top">
        <a class="brand" href="#/">
          Stoker
        </a>
        <nav aria-label="More">
          <a href="/queues">Queues</a>
          <a href="/docs">API</a>
        </nav>
      </header>
      <main>{job ? <JobPage key={job} id={job} /> : <JobList />}</main>
    </>
  )
}
