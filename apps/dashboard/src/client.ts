import type { BadRecords, Fault, Job, Place } from './job.js'
import { readKey, wantKey } from './key.js'

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
  /** Whether the same request may succeed later. */
  readonly mayPass: boolean
  constructor(fault: Fault, mayPass: boolean) {
    super(fault.message)
    this.fault = fault
    this.mayPass = mayPass
  }
}

const AWAY: Fault = { code: 'no answer', message: 'the api does not answer', remedy: 'check that it runs' }

/** Asks with the key of this tab, if there is one. @throws RequestFailed */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(path, readKey(), init)
  if (response.status === 401) wantKey()
  return answered(response)
}

async function send(path: string, key: string | undefined, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  return fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new RequestFailed(AWAY, true)
  })
}

async function answered(response: Response): Promise<Response> {
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Problem
  const { code = `status ${response.status}`, title, detail, place, remedy } = problem
  const known = { ...(place ? { place } : {}), ...(remedy ? { remedy } : {}) }
  const mayPass = response.status >= 500 || response.status === 429
  throw new RequestFailed({ code, message: detail ?? title ?? response.statusText, ...known }, mayPass)
}

export const faultOf = (error: unknown): Fault =>
  error instanceof RequestFailed ? error.fault : { code: 'page', message: String(error) }

const of = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`

export async function fetchJobs(signal: AbortSignal): Promise<readonly Job[]> {
  const { jobs } = (await (await request('/v1/jobs?limit=100', { signal })).json()) as { jobs: readonly Job[] }
  return jobs
}

export type Action = 'cancel' | 'pause' | 'resume'
export const act = async (id: string, action: Action): Promise<Job> =>
  (await (await request(`${of(id)}/${action}`, { method: 'POST' })).json()) as Job

export const eventsPath = (id: string): string => `${of(id)}/events`

/** The images of a batch as one picture. */
export const fetchSheet = async (id: string, epoch: number, batch: number, signal: AbortSignal): Promise<Blob> =>
  (await request(`${of(id)}/batches/${epoch}/${batch}?format=png`, { signal })).blob()

/** Whether the server knows a key; it need not hold any one scope. @throws RequestFailed */
export async function checkKey(key: string): Promise<void> {
  await answered(await send(SESSION, key, { method: 'POST' }))
}

const SESSION = '/v1/session'
/** Lets this browser open the queues and the API page for a while. */
export const beginSession = (): Promise<Response> => request(SESSION, { method: 'POST' })
export const endSession = (): Promise<Response> => request(SESSION, { method: 'DELETE' })

const LINES_SHOWN = 100

/** The first records that batches of the job were made without, and how many there are. */
export const fetchBadRecords = async (id: string, signal: AbortSignal): Promise<BadRecords> =>
  (await (await request(`${of(id)}/bad-records?limit=${LINES_SHOWN}`, { signal })).json()) as BadRecords
