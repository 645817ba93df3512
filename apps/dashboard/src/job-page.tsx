import { useEffect } from 'preact/hooks'
import { BadRecordList } from './bad-record-list.js'
import { ContactSheet } from './contact-sheet.js'
import { EventLog } from './event-log.js'
import { allFacts, verdictOf } from './facts.js'
import { FaultNote } from './fault-note.js'
import { timeText } from './format.js'
import { isFinished, type Job } from './job.js'
import { JobControls } from './job-controls.js'
import { JobGauge, StateBadge } from './meters.js'
import { useJob } from './use-job.js'

export function JobPage({ id }: { id: string }) {
  const { job, events, fault, isConnected } = useJob(id)
  useEffect(() => {
    document.title = job ? `${job.name} – Stoker` : 'Stoker'
  }, [job?.name])
  return (
    <>
      <p>
        <a href="#/">← All jobs</a>
      </p>
      {fault && <FaultNote fault={fault} />}
      {!job && !fault && <p>Loading…</p>}
      {job && (
        <>
          <JobHead job={job} />
          {!isConnected && !isFinished(job) && <p role="status">The connection was lost. Trying again…</p>}
          <JobFacts job={job} />
          <BadRecordList job={job} />
          <ContactSheet job={job} />
          <EventLog events={events} />
        </>
      )}
    </>
  )
}

function JobHead({ job }: { job: Job }) {
  const verdict = verdictOf(job)
  return (
    <section class="card">
      <div class="row">
        <h1>{job.name}</h1>
        <StateBadge state={job.state} />
      </div>
      <p class="quiet">
        <code>{job.id}</code> · submitted {timeText(job.createdAt)}
        {job.finishedAt && ` · finished ${timeText(job.finishedAt)}`}
      </p>
      {verdict && <p class="verdict">{verdict}</p>}
      <JobGauge job={job} />
      {job.error && <FaultNote fault={job.error} />}
      <JobControls job={job} />
    </section>
  )
}

function JobFacts({ job }: { job: Job }) {
  const result = Object.entries(job.result ?? {}).filter(([, value]) => typeof value !== 'object')
  return (
    <section class="card" aria-label="Numbers">
      <dl class="facts">
        {[...allFacts(job), ...result.map(([label, value]) => [`result: ${label}`, String(value)] as const)].map(
          ([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}
