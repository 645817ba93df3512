import type { Fault, Place } from './job.js'

const placeText = (place: Place): string =>
  Object.entries(place)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

/** What went wrong, where, and what to do. */
export function FaultNote({ fault }: { fault: Fault }) {
  const { code, message, place, remedy } = fault
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{message}</strong> <code>{code}</code>
      </p>
      {place && <p class="place">{placeText(place)}</p>}
      {remedy && <p>What to do: {remedy}</p>}
    </div>
  )
}
