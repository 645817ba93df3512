import { useEffect, useState } from 'preact/hooks'
import { faultOf, fetchBadRecords } from './client.js'
import { FaultNote } from './fault-note.js'
import { countText } from './format.js'
import type { BadRecord, BadRecords, Fault, Job } from './job.js'

/** What the job went on without, and why; nothing where all records are sound. */
export function BadRecordList({ job }: { job: Job }) {
  const [list, setList] = useState<BadRecords>()
  const [fault, setFault] = useState<Fault>()
  const count = job.progress.badRecords ?? 0
  useEffect(() => {
    if (count === 0) return
    const control = new AbortController()
    fetchBadRecords(job.id, control.signal).then(setList, (error: unknown) => {
      if (!control.signal.aborted) setFault(faultOf(error))
    })
    return () => control.abort()
  }, [job.id, count])
  if (count === 0) return null
  const rest = (list?.total ?? 0) - (list?.badRecords.length ?? 0)
  return (
    <section class="card" aria-labelledby="bad-records">
      <h2 id="bad-records">Bad records</h2>
      {fault && <FaultNote fault={fault} />}
      {!list && !fault && <p>Loading…</p>}
      <ul class="bad-records">
        {list?.badRecords.map((bad) => (
          <li key={`${bad.shard}#${bad.record}`}>
            <BadRecordLine bad={bad} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p>
          And {countText(rest)} more: <code>stoker bad-records {job.id}</code>
        </p>
      )}
    </section>
  )
}

function BadRecordLine({ bad: { shard, record, offset, code, message, lost, standIn } }: { bad: BadRecord }) {
  return (
    <>
      <b>
        Record {record} of {shard}
      </b>
      {offset !== undefined && `, byte ${offset}`}: {message} <code>{code}</code>
      {lost !== undefined && `, and about ${countText(lost)} more behind it`}
      {standIn && (
        <>
          <br />
          Record {standIn.record} of {standIn.shard} stood in for it.
        </>
      )}
    </>
  )
}
