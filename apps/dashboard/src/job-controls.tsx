import { useState } from 'preact/hooks'
import { type Action, act, faultOf } from './client.js'
import { FaultNote } from './fault-note.js'
import { type Fault, isFinished, type Job } from './job.js'

const LABELS = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel job' } as const satisfies Record<Action, string>

/** What may be done with the job now. Cancelling asks once more, since nothing brings a cancelled job back. */
export function JobControls({ job }: { job: Job }) {
  const [fault, setFault] = useState<Fault>()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  if (isFinished(job)) return null
  const run = async (action: Action) => {
    setBusy(true)
    setAsking(false)
    try {
      await act(job.id, action)
      setFault(undefined)
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  const button = (action: Action, onClick: () => void, kind = '') => (
    <button type="button" class={kind} disabled={isBusy} onClick={onClick}>
      {LABELS[action]}
    </button>
  )
  return (
    <div class="controls">
      {job.state === 'paused' ? button('resume', () => void run('resume')) : button('pause', () => void run('pause'))}
      {!isAsking && button('cancel', () => setAsking(true))}
      {isAsking && (
        <fieldset>
          <legend>Cancel “{job.name}”? It cannot be brought back.</legend>
          <button type="button" class="danger" disabled={isBusy} onClick={() => void run('cancel')}>
            Yes, cancel it
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </fieldset>
      )}
      {fault && <FaultNote fault={fault} />}
    </div>
  )
}
