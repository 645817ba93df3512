import { type Place, StokerError } from '@stoker/spec'
import { NotStoker } from '../error-table.js'

/** Where the api names a route, this command names its own. */
const REMEDIES: Readonly<Record<string, string>> = {
  STK_JOB_UNKNOWN: 'list the jobs there are with `stoker jobs`; finished jobs are forgotten after a while',
  STK_API_HAS_TRAINER:
    'look at its batches with `stoker preview JOB EPOCH BATCH`, or submit the pipeline without train',
  STK_API_CHILD: 'name the job itself: `stoker jobs` lists them',
}

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
  const remedy = REMEDIES[problem.code] ?? problem.remedy
  const error = new StokerError(problem.code, problem.detail ?? problem.title ?? problem.code, {
    status: response.status,
    retryable: response.status === 429 || response.status >= 500,
    ...(remedy === undefined ? {} : { remedy }),
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
