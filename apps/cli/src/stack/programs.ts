import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { NotBuilt } from '../error-table.js'

/** Path of the start script of an app. The apps are started as processes of their own and never imported. */
export function programOf(app: 'api' | 'worker' | 'trainer'): string {
  const script = fileURLToPath(new URL(`../../../${app}/dist/main.js`, import.meta.url))
  if (!existsSync(script)) throw NotBuilt(script)
  return script
}
