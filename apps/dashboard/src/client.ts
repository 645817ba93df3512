import type { Fault, Job, Place } from './job.js'

interface Problem {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly place?: Place
  readonly remedy?: string
}

/** An answer that is no success, or none at all. */
export class RequestFailed extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

const AWAY: Fault = { code: 'no answer', message: 'the api does not answer', remedy: 'check that it runs' }

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new RequestFailed(AWAY)
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Problem
  const { code = `status ${response.status}`, title, detail, place, remedy } = problem
  throw new RequestFailed({
    code,
    message: detail ?? title ?? response.statusText,
    ...(place ? { place } : {}),
    ...(remedy ? { remedy } : {}),
  })
}

export const faultOf = (error: unknown): Fault =>
  error instanceof RequestFailed ? error.fault : { code: 'page', message: String(error) }

const of = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`

export async function fetchJobs(signal: AbortSignal): Promise<readonly Job[]> {
  const { jobs } = (await (await request('/v1/jobs?limit=100', { signal })).json()) as { jobs: readonly Job[] }
  return jobs
}

export const fetchJob = async (id: string, signal: AbortSignal): Promise<Job> =>
  (await (await request(of(id), { signal })).json()) as Job

export type Action = 'cancel' | 'pause' | 'resume'
export const act = async (id: string, action: Action): Promise<Job> =>
  (await (await request(`${of(id)}/${action}`, { method: 'POST' })).json()) as Job

export const eventsPath = (id: string): string => `${of(id)}/events`

/** The images of a batch as one picture. */
export const fetchSheet = async (id: string, epoch: number, batch: number, signal: AbortSignal): Promise<Blob> =>
  (await request(`${of(id)}/batches/${epoch}/${batch}?format=png`, { signal })).blob()
