import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read, readEnvFile, readYaml, root, variablesIn } from './files.js'

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly command?: readonly string[]
  readonly environment?: Record<string, string>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly deploy?: { readonly mode: string; readonly replicas: number }
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
}

const APPS = ['api', 'worker', 'trainer'] as const
const dockerfile = read('docker/Dockerfile')
/** Stage name to its lines. */
const stages = new Map(
  dockerfile
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((text) => [/ AS (\S+)/.exec(text)?.[1] ?? '', text]),
)
const [compose] = readYaml<{ readonly services: Record<string, Service> }>('docker/compose.yaml')
const services = Object.entries(compose!.services)
const variables = readEnvFile('example.env')
/** Of compose itself: they choose images, ports and level, and are no settings of an app. */
const COMPOSE_ONLY = ['STOKER_IMAGES', 'STOKER_TAG']

describe('the Dockerfile', () => {
  it('starts from a pinned Node that the project supports, unless told otherwise', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:20-bookworm-slim$/m)
    for (const text of stages.values()) expect(text).toMatch(/^FROM (\$\{NODE_IMAGE\}|[a-z-]+) AS /)
  })

  it('runs every image with an init, as a user that is not root', () => {
    expect(stages.get('runtime')).toMatch(/^USER [1-9]\d+:[1-9]\d+$/m)
    expect(stages.get('runtime')).toMatch(/^ENTRYPOINT \["\/usr\/bin\/tini", "--"\]$/m)
    for (const app of APPS) {
      expect(stages.get(app)).toMatch(/^FROM runtime AS /)
      expect(stages.get(app)).not.toMatch(/^(USER|ENTRYPOINT) /m)
    }
  })

  it.each(APPS)('starts %s by an exec-form command, with a health check whose script is there', (app) => {
    const stage = stages.get(app)!
    const exec = (line: RegExp) => JSON.parse(line.exec(stage)?.[1] ?? '[]') as string[]
    const command = exec(/^CMD (\[.*\])$/m)
    expect(command[0]).toBe('node')
    expect(command.at(-1)).toBe(`/app/apps/${app}/dist/main.js`)
    expect(existsSync(join(root, 'apps', app, 'src', 'main.ts'))).toBe(true)
    const [program, script] = exec(/^HEALTHCHECK .*CMD (\[.*\])$/m)
    expect(program).toBe('node')
    expect(existsSync(join(root, script!.replace('/app/health/', 'docker/health/')))).toBe(true)
  })

  it('brings TensorFlow into the trainer alone, and no Python or compiler into any image', () => {
    for (const app of APPS) expect(stages.get(app)!.includes('--from=engine')).toBe(app === 'trainer')
    for (const name of [...APPS, 'runtime']) expect(stages.get(name)).not.toMatch(/python|g\+\+/)
  })
})

describe('the compose file', () => {
  it('runs Redis, an S3 server, the api, two workers and a trainer, of targets that the Dockerfile has', () => {
    expect(services.map(([name]) => name).sort()).toEqual(['api', 'bucket', 'redis', 's3', 'trainer', 'worker'])
    expect(compose!.services.worker!.deploy).toEqual({ mode: 'replicated', replicas: 2 })
    for (const app of APPS) {
      const { build } = compose!.services[app]!
      expect(build).toEqual({ context: '..', dockerfile: 'docker/Dockerfile', target: app })
      expect(stages.has(build!.target)).toBe(true)
    }
  })

  it.each(services)('gives %s no rights, a read-only root, and ports on loopback only', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  it('keeps Redis from evicting batches', () => {
    const { command } = compose!.services.redis!
    expect(command?.[command.indexOf('--maxmemory-policy') + 1]).toBe('noeviction')
  })

  it.each(['worker', 'trainer'])('gives %s longer to end than the app takes', (name) => {
    const seconds = Number(/^(\d+)s$/.exec(compose!.services[name]!.stop_grace_period ?? '')?.[1])
    expect(seconds * 1000).toBeGreaterThan(Number(variables.get(`STOKER_${name.toUpperCase()}_GRACE_MS`)))
  })

  it('takes its secrets from an environment file, which has an example and is not in the repository', () => {
    const asked = [...read('docker/compose.yaml').matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name)
    expect([...readEnvFile('docker/example.env').keys()].sort()).toEqual([...new Set(asked)].sort())
    expect(read('docker/.gitignore').split('\n')).toContain('.env')
    expect(read('.dockerignore').split('\n')).toContain('**/.env')
  })

  it('names variables that example.env has, as the Dockerfile does', () => {
    const named = ['docker/compose.yaml', 'docker/Dockerfile'].flatMap((file) => variablesIn(file))
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !variables.has(name) && !COMPOSE_ONLY.includes(name))).toEqual([])
  })
})
