import { format } from 'node:util'

/** Where in the user's input or data a fault lies. Only the known parts are set. */
export interface Place {
  /** JSON path in the submitted document, such as `pipeline.stages[2].size`. */
  readonly path?: string
  /** URI of the shard. */
  readonly shard?: string
  /** Index of the record within the shard, from 0. */
  readonly record?: number
  /** Byte offset in the (inflated) shard. */
  readonly offset?: number
  readonly op?: string
  readonly field?: string
  readonly epoch?: number
  readonly batch?: number
}

export interface ErrorTraits {
  /** HTTP status when the error reaches a client; 500 where none is given. */
  readonly status?: number
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: boolean
  /** What the user should change. */
  readonly remedy?: string
}

/** JSON form of an error: what crosses a process boundary. Never holds a stack trace. */
export interface ErrorView {
  readonly code: string
  readonly message: string
  readonly place?: Place
  readonly remedy?: string
  readonly retryable: boolean
}

/** The one error class of the project. Branch on `code` or `retryable`, never on the text. */
export class StokerError extends Error {
  override readonly name = 'StokerError'
  readonly code: string
  readonly status: number
  readonly retryable: boolean
  place: Place | undefined
  remedy: string | undefined

  constructor(code: string, message: string, traits: ErrorTraits = {}) {
    super(message)
    this.code = code
    this.status = traits.status ?? 500
    this.retryable = traits.retryable ?? false
    this.remedy = traits.remedy
  }

  /** Adds what the catching layer knows: the place (merged), a better remedy, the cause. Returns the same error. */
  with(known: { place?: Place; remedy?: string; cause?: unknown }): this {
    if (known.place) this.place = { ...known.place, ...this.place }
    if (known.remedy) this.remedy = known.remedy
    if (known.cause !== undefined) this.cause = known.cause
    return this
  }

  toJSON(): ErrorView {
    return {
      code: this.code,
      message: this.message,
      ...(this.place ? { place: this.place } : {}),
      ...(this.remedy ? { remedy: this.remedy } : {}),
      retryable: this.retryable,
    }
  }
}

export interface ErrorKind {
  (...values: readonly (string | number | bigint)[]): StokerError
  readonly code: string
  readonly template: string
  readonly traits: ErrorTraits
  is(error: unknown): error is StokerError
}

/**
 * Declares one row of a package's error table.
 *
 * @example const ShardChanged = defineError('STK_SHARD_CHANGED', 'shard %s changed', { retryable: false })
 *          throw ShardChanged(uri).with({ place: { shard: uri } })
 */
export function defineError(code: string, template: string, traits: ErrorTraits = {}): ErrorKind {
  const make = (...values: readonly (string | number | bigint)[]) =>
    new StokerError(code, format(template, ...values), traits)
  const is = (error: unknown): error is StokerError => error instanceof StokerError && error.code === code
  return Object.assign(make, { code, template, traits, is })
}

const Unexpected = defineError('STK_UNEXPECTED', '%s', {
  status: 500,
  remedy: 'this is a fault of Stoker: see its log',
})

/** Any thrown value as a coded error; a StokerError passes through unchanged. */
export function toStokerError(error: unknown): StokerError {
  if (error instanceof StokerError) return error
  return Unexpected(error instanceof Error ? error.message : String(error)).with({ cause: error })
}

/**
 * Rebuilds an error from its JSON form, for instance one that a worker thread or Redis carried.
 * @param status its HTTP status, which the JSON form does not hold
 */
export function fromErrorView(view: ErrorView, status = 500): StokerError {
  const error = new StokerError(view.code, view.message, { retryable: view.retryable, status })
  error.place = view.place
  error.remedy = view.remedy
  return error
}
