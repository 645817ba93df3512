import { useEffect, useState } from 'preact/hooks'
import { shortFacts } from './facts.js'
import { FaultNote } from './fault-note.js'
import { timeText } from './format.js'
import type { Job } from './job.js'
import { JobGauge, StateBadge } from './meters.js'
import { useJobs } from './use-jobs.js'

export function JobList() {
  const { jobs, fault } = useJobs()
  useEffect(() => {
    document.title = 'Stoker'
  }, [])
  return (
    <>
      <h1>Jobs</h1>
      {fault && <FaultNote fault={fault} />}
      {jobs?.length === 0 && (
        <p>
          No job yet. Submit one with <code>stoker submit job.json</code>, or POST it to <a href="/docs">/v1/jobs</a>.
        </p>
      )}
      <ul class="jobs">
        {jobs?.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
      {!jobs && !fault && <p>Loading…</p>}
    </>
  )
}

function JobRow({ job }: { job: Job }) {
  const [created] = useState(() => timeText(job.createdAt))
  return (
    <li class="card">
      <div class="row">
        <h2>
          <a href={`#/jobs/${job.id}`}>{job.name}</a>
        </h2>
        <StateBadge state={job.state} />
        <span class="quiet">{created}</span>
      </div>
      <JobGauge job={job} />
      {job.error && <FaultNote fault={job.error} />}
      <dl class="facts">
        {shortFacts(job).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}
