import type { LoggedEvent } from './use-job.js'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The names and values of an event's data in one line. */
function eventText(data: unknown): string {
  if (!isRecord(data)) return String(data)
  const pairs = Object.entries(data).filter(([, value]) => value !== null && typeof value !== 'object')
  return pairs
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(4) : value}`,
    )
    .join(', ')
}

/** The time that is part of an event's id, `<ms>-<n>`. */
const timeOf = (id: string): Date => new Date(Number(id.split('-')[0]))

export function EventLog({ events }: { events: readonly LoggedEvent[] }) {
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Events</h2>
      {events.length === 0 && <p>None yet.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ol class="events" tabIndex={0} aria-label="Events, newest first">
        {events.map(({ id, type, data }) => (
          <li key={id}>
            <time dateTime={timeOf(id).toISOString()}>{timeOf(id).toLocaleTimeString()}</time> <b>{type}</b>{' '}
            {eventText(data)}
          </li>
        ))}
      </ol>
    </section>
  )
}
