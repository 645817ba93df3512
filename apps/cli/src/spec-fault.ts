import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { StokerError } from '@stoker/spec'
import { SpecFileUnreadable } from './error-table.js'

/** What a module threw while it was loaded, with the place in it where that happened: `job.mjs:7:4`. */
export async function specFault(error: unknown, moduleUrl: string, name: string): Promise<StokerError> {
  const path = fileURLToPath(moduleUrl)
  // A syntax error that was caught has lost its line; `node --check` prints it.
  const told = error instanceof SyntaxError ? await checked(path) : ((error as Error | undefined)?.stack ?? '')
  const at = [moduleUrl, path].map((spelled) => lineAfter(told, spelled)).find((line) => line !== undefined)
  const place = at === undefined ? {} : { place: { path: `${name}:${at}` } }
  if (error instanceof StokerError) return error.with(place)
  const message = error instanceof Error ? error.message : String(error)
  return SpecFileUnreadable(name, message).with({ ...place, cause: error })
}

/** `7:4` where the text says `...job.mjs:7:4`; a syntax error has no column. */
function lineAfter(text: string, spelled: string): string | undefined {
  const at = text.indexOf(`${spelled}:`)
  return at < 0 ? undefined : /^\d+(:\d+)?/.exec(text.slice(at + spelled.length + 1))?.[0]
}

function checked(path: string): Promise<string> {
  return new Promise((done) => {
    execFile(process.execPath, ['--check', path], { timeout: 10_000 }, (_error, _stdout, stderr) => done(stderr))
  })
}
