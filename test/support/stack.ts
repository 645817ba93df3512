import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Stack, type StackOptions, type StokerClient, startStack, type Told } from '@stoker/cli'

export interface TestStack extends Stack {
  readonly client: StokerClient
  /** What the supervisor told of its processes. */
  readonly told: readonly Told[]
}

/**
 * The whole stack as `stoker up` starts it, on free ports, over a temporary folder unless `dataDir` names one.
 * `stop` also removes the temporary folder.
 */
export async function startTestStack(options: StackOptions = {}): Promise<TestStack> {
  const own = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'stoker-e2e-')) : undefined
  const stateDir = await mkdtemp(join(tmpdir(), 'stoker-state-'))
  const told: Told[] = []
  const clean = async () => {
    for (const folder of [own, stateDir]) if (folder) await rm(folder, { recursive: true, force: true })
  }
  try {
    const stack = await startStack({
      ...{ workers: 1, trainer: false, port: 0, stateDir, tell: (one) => told.push(one) },
      ...(own === undefined ? {} : { dataDir: own }),
      ...options,
    })
    const stop = async () => {
      await stack.stop()
      await clean()
    }
    return { ...stack, client: createClient(stack.api), told, stop }
  } catch (error) {
    await clean()
    throw error
  }
}
