import { type Place, StokerError } from '@stoker/spec'
import { NotStoker } from '../error-table.js'

interface Problem {
  readonly title?: string
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly place?: Place
  readonly remedy?: string
}

/** The error that a non-2xx answer (application/problem+json) tells of. */
export async function errorOf(response: Response): Promise<StokerError> {
  const text = await response.text()
  const problem = parse(text)
  if (!problem?.code) return NotStoker(response.url, response.status, text.slice(0, 200) || 'no body')
  const error = new StokerError(problem.code, problem.detail ?? problem.title ?? problem.code, {
    status: response.status,
    retryable: response.status === 429 || response.status >= 500,
    ...(problem.remedy === undefined ? {} : { remedy: problem.remedy }),
  })
  return problem.place ? error.with({ place: problem.place }) : error
}

function parse(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
