import { toStokerError } from '@stoker/spec'
import { errorText } from './error-text.js'

/** Tells the error: for people on stderr, and with --json as one line on stdout too. Returns the exit code. */
export function reportFailure(error: unknown, json: boolean): number {
  process.stderr.write(`${errorText(error)}\n`)
  if (json) process.stdout.write(`${JSON.stringify({ error: toStokerError(error).toJSON() })}\n`)
  if (process.env.STOKER_LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  return 1
}
