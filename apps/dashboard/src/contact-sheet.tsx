import { useEffect, useState } from 'preact/hooks'
import { faultOf, fetchSheet } from './client.js'
import { FaultNote } from './fault-note.js'
import type { Fault, Job } from './job.js'

/** The images of batch 0, once its shards are indexed. A batch without images shows nothing. */
export function ContactSheet({ job }: { job: Job }) {
  const [picture, setPicture] = useState<string>()
  const [fault, setFault] = useState<Fault>()
  const isMade = job.state !== 'pending' && job.state !== 'indexing' && job.state !== 'failed'
  useEffect(() => {
    if (!isMade) return
    const control = new AbortController()
    let address: string | undefined
    fetchSheet(job.id, 0, 0, control.signal).then(
      (blob) => {
        if (control.signal.aborted) return
        address = URL.createObjectURL(blob)
        setPicture(address)
      },
      (error: unknown) => {
        if (!control.signal.aborted) setFault(faultOf(error))
      },
    )
    return () => {
      control.abort()
      if (address) URL.revokeObjectURL(address)
    }
  }, [job.id, isMade])
  if (!isMade || fault?.code === 'STK_API_NO_IMAGE') return null
  return (
    <section class="card" aria-labelledby="sheet">
      <h2 id="sheet">Batch 0</h2>
      {picture && (
        <img class="sheet" src={picture} alt="The images of batch 0, side by side, as the consumer gets them" />
      )}
      {fault && <FaultNote fault={fault} />}
      {!picture && !fault && <p>Loading…</p>}
    </section>
  )
}
