import { join } from 'node:path'
import { StokerError } from '@stoker/spec'
import { builtOnce } from './built-once.js'
import { cacheDir } from './cache-dir.js'
import { NoS3Server } from './error-table.js'
import { runTool } from './run-tool.js'
import { isExecutable, which } from './which.js'

const VERSION = 'v1.8.0'
const MODULE = 'github.com/versity/versitygw/cmd/versitygw'

const target = () => join(cacheDir(), 'tools', `versitygw-${VERSION}`)

/** Path of versitygw on the PATH or in the cache folder; undefined when it would have to be built. */
export async function findS3Server(): Promise<string | undefined> {
  const onPath = await which('versitygw')
  if (onPath) return onPath
  return (await isExecutable(target())) ? target() : undefined
}

/** Whether `startS3` has a server program or the Go to build one with. */
export async function canStartS3(): Promise<boolean> {
  return (await findS3Server()) !== undefined || (await which('go')) !== undefined
}

/** Path of versitygw, built by `go install` into the cache folder when it is not there (about a minute, once). Throws NoS3Server. */
export async function s3Program(): Promise<string> {
  const found = await findS3Server()
  if (found) return found
  const go = await which('go')
  if (!go) throw NoS3Server('versitygw is not on the PATH, and there is no Go to build it with')
  try {
    return await builtOnce(target(), async (workDir) => {
      await runTool(go, ['install', `${MODULE}@${VERSION}`], { env: { ...process.env, GOBIN: workDir } })
      return join(workDir, 'versitygw')
    })
  } catch (error) {
    const reason = error instanceof StokerError ? error.message : String(error)
    throw NoS3Server(`versitygw is not on the PATH, and building it failed: ${reason}`).with({ cause: error })
  }
}
