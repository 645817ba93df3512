import { countText } from './format.js'
import { gaugeOf, type Job, type JobState } from './job.js'

/** The state in words; its colour only repeats them. */
export function StateBadge({ state }: { state: JobState }) {
  return <span class={`badge ${state}`}>{state}</span>
}

export function JobGauge({ job }: { job: Job }) {
  const gauge = gaugeOf(job)
  if (!gauge) return null
  const { label, done, total } = gauge
  const text = `${countText(done)} of ${countText(total)} ${label}`
  return (
    <div class="gauge">
      <progress value={done} max={total} aria-label={`${job.name}: ${label}`}>
        {text}
      </progress>
      <span>{text}</span>
    </div>
  )
}
