import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'

export interface LuaScript {
  readonly source: string
  readonly sha: string
}

/** Reads a `.lua` file of the calling package: `luaScript(new URL('../lua/commit.lua', import.meta.url))`. */
export function luaScript(file: URL): LuaScript {
  const source = readFileSync(file, 'utf8')
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** Runs a script, sending its text only to a server that does not have it yet. */
export async function runScript(
  redis: Redis,
  script: LuaScript,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha, keys.length, ...keys, ...args)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await redis.eval(script.source, keys.length, ...keys, ...args)
  }
}
