import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NotBuilt } from '../error-table.js'

const require = createRequire(import.meta.url)

/** Path of the start script of an app. The apps are started as processes of their own and never imported. */
export function programOf(app: 'api' | 'worker' | 'trainer'): string {
  const script = join(dirname(require.resolve(`@stoker/${app}`)), 'main.js')
  if (!existsSync(script)) throw NotBuilt(script)
  return script
}
