import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Folder that outlives a checkout: `$STOKER_CACHE`, else `$XDG_CACHE_HOME/stoker`, else `~/.cache/stoker`. Need not exist yet. */
export function cacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.STOKER_CACHE) return resolve(env.STOKER_CACHE)
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'stoker')
}
