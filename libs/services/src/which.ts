import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'

/** Absolute path of an executable file on the PATH, or undefined. */
export async function which(
  program: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue
    const path = resolve(join(folder, program))
    if (await isExecutable(path)) return path
  }
  return undefined
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
