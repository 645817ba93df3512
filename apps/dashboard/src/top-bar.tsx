import { beginSession, endSession } from './client.js'
import { keepKey, readKey, wantKey } from './key.js'

/** Browsers send no key with an address: with a key, a session is begun first. */
async function open(event: MouseEvent, href: string): Promise<void> {
  if (readKey() === undefined) return
  event.preventDefault()
  // Where that fails, the page that is opened says why.
  await beginSession().catch(() => undefined)
  location.assign(href)
}

async function forget(): Promise<void> {
  keepKey(undefined)
  await endSession().catch(() => undefined)
  wantKey()
}

export function TopBar({ hasKey }: { hasKey: boolean }) {
  const link = (href: string, text: string) => (
    <a href={href} onClick={(event) => void open(event, href)}>
      {text}
    </a>
  )
  return (
    <header class="top">
      <a class="brand" href="#/">
        Stoker
      </a>
      <nav aria-label="More">
        {link('/queues', 'Queues')}
        {link('/docs', 'API')}
        {hasKey && (
          <button type="button" onClick={() => void forget()}>
            Forget key
          </button>
        )}
      </nav>
    </header>
  )
}
