import { useEffect, useRef, useState } from 'preact/hooks'
import { checkKey, faultOf } from './client.js'
import { FaultNote } from './fault-note.js'
import type { Fault } from './job.js'
import { keepKey, readKey } from './key.js'

/** Asks for a key until the server knows it. */
export function KeyForm({ onKey }: { onKey: () => void }) {
  const [key, setKey] = useState('')
  const [fault, setFault] = useState<Fault>()
  const [isBusy, setBusy] = useState(false)
  const [wasKept] = useState(() => readKey() !== undefined)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Stoker'
    field.current?.focus()
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await checkKey(key)
      keepKey(key)
      onKey()
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="card key" onSubmit={(event) => void submit(event)}>
      <h1>{wasKept ? 'The key is no longer taken' : 'This server asks for a key'}</h1>
      <label for="key">API key</label>
      <input
        id="key"
        ref={field}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={key}
        onInput={({ currentTarget }) => setKey(currentTarget.value.trim())}
      />
      <button type="submit" disabled={isBusy || key === ''}>
        Use this key
      </button>
      <p class="quiet">
        It stays in this tab and is forgotten with it. <code>stoker key NAME</code> makes one for whoever runs the
        server.
      </p>
      {fault && <FaultNote fault={fault} />}
    </form>
  )
}
