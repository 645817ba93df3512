import { toStokerError } from '@stoker/spec'

/** Ends the process with what went wrong and what to do, without a stack trace. */
export function tellAndFail(error: unknown): void {
  const { code, message, remedy } = toStokerError(error)
  process.stderr.write(`${code}: ${message}\n${remedy ? `  ${remedy}\n` : ''}`)
  process.exitCode = 1
}
