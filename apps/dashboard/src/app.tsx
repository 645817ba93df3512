import { useEffect, useState } from 'preact/hooks'
import { JobList } from './job-list.js'
import { JobPage } from './job-page.js'
import { onKeyWanted, readKey } from './key.js'
import { KeyForm } from './key-form.js'
import { TopBar } from './top-bar.js'

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

/** Whether a key must be asked for, and how often one was given. */
function useKey() {
  const [isWanted, setWanted] = useState(false)
  const [given, setGiven] = useState(0)
  useEffect(() => onKeyWanted(() => setWanted(true)), [])
  const onKey = () => {
    setWanted(false)
    setGiven((times) => times + 1)
  }
  return { isWanted, given, onKey }
}

export function App() {
  const job = useJobInAddress()
  const { isWanted, given, onKey } = useKey()
  if (isWanted)
    return (
      <>
        <TopBar hasKey={false} />
        <main>
          <KeyForm onKey={onKey} />
        </main>
      </>
    )
  return (
    <>
      <TopBar key={given} hasKey={readKey() !== undefined} />
      <main>{job ? <JobPage key={job} id={job} /> : <JobList />}</main>
    </>
  )
}
