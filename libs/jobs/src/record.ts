import type { ErrorView, Job } from '@stoker/spec'
import { RecordUnreadable } from './error-table.js'
import { isJobState, type JobState } from './state.js'

/** What a finished job gave, such as model, checkpoint, accuracy, steps. */
export type JobResult = { readonly [name: string]: JsonValue }
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

export interface JobRecord {
  /** 26 of [a-z0-9]; of a child `<parent>.val`. */
  readonly id: string
  readonly name: string
  readonly spec: Job
  readonly specHash: string
  readonly state: JobState
  /** ISO 8601, UTC, as are the other times. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly finishedAt?: string
  /** Where a paused job goes on. */
  readonly pausedFrom?: JobState
  readonly error?: ErrorView
  readonly parent?: string
  readonly result?: JobResult
}

/** What a caller gives to `create`; the rest is set there. */
export type NewJob = Pick<JobRecord, 'id' | 'name' | 'spec' | 'specHash'>
/** A feed that lives and ends with its job. */
export type NewChild = Omit<NewJob, 'id'>

export const childId = (id: string): string => `${id}.val`

/** The record as fields of a Redis hash. */
export function toHash(record: JobRecord): Record<string, string> {
  const { spec, error, result, ...texts } = record
  const hash: Record<string, string> = { spec: JSON.stringify(spec) }
  for (const [name, value] of Object.entries(texts)) if (value !== undefined) hash[name] = value
  if (error) hash.error = JSON.stringify(error)
  if (result) hash.result = JSON.stringify(result)
  return hash
}

/** @throws RecordUnreadable when a field is missing or is not what it must be. */
export function fromHash(id: string, hash: Readonly<Record<string, string>>): JobRecord {
  const text = (name: string): string => {
    const value = hash[name]
    if (value === undefined) throw RecordUnreadable(id, `${name} is missing`)
    return value
  }
  const { state, pausedFrom, finishedAt, parent, error, result } = hash
  if (!isJobState(state)) throw RecordUnreadable(id, `state is ${state ?? 'missing'}`)
  return {
    id: text('id'),
    name: text('name'),
    spec: json<Job>(id, text('spec')),
    specHash: text('specHash'),
    state,
    createdAt: text('createdAt'),
    updatedAt: text('updatedAt'),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(isJobState(pausedFrom) ? { pausedFrom } : {}),
    ...(error === undefined ? {} : { error: json<ErrorView>(id, error) }),
    ...(parent === undefined ? {} : { parent }),
    ...(result === undefined ? {} : { result: json<JobResult>(id, result) }),
  }
}

/** Parses what this package wrote itself. @throws RecordUnreadable */
export function json<T>(id: string, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw RecordUnreadable(id, error instanceof Error ? error.message : String(error)).with({ cause: error })
  }
}
