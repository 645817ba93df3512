import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesIn, read, readEnvFile, readYaml, variablesIn } from './files.js'

interface Container {
  readonly name: string
  readonly image: string
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> }
  readonly securityContext: Record<string, unknown>
  readonly volumeMounts: readonly { readonly name: string }[]
}
interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string }
  readonly tcpSocket?: { readonly port: string }
}
interface Workload {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> }
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> }
      readonly spec: {
        readonly containers: readonly Container[]
        readonly securityContext: Record<string, unknown>
        readonly terminationGracePeriodSeconds?: number
        readonly volumes?: readonly { readonly name: string }[]
      }
    }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}
interface Kustomization {
  readonly resources: readonly string[]
  readonly images: readonly { readonly name: string; readonly newTag: string }[]
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[]
}

const BASE = 'infra/kubernetes/base'
const [kustomization] = readYaml<Kustomization>(`${BASE}/kustomization.yaml`) as [Kustomization]
const objects = kustomization.resources.flatMap((file) => readYaml<Workload>(`${BASE}/${file}`))
const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const variables = readEnvFile('example.env')
const podOf = (name: string) => workloads.find(({ metadata }) => metadata.name === name)!.spec.template.spec

describe('the Kubernetes manifests', () => {
  it('are all listed, and hold the four workloads', () => {
    const files = filesIn(BASE, '.yaml').map((path) => basename(path))
    expect(files).toEqual([...kustomization.resources, 'kustomization.yaml'].sort())
    expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual(['api', 'redis', 'trainer', 'worker'])
  })

  it('select the pods they make', () => {
    for (const { spec } of workloads) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    }
  })

  it('name variables that example.env has, and no others', () => {
    const files = [...filesIn('infra', '.yaml'), `${BASE}/stoker.env`]
    const named = files.flatMap((file) => variablesIn(file))
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !variables.has(name))).toEqual([])
  })

  it('hold no secret: passwords and keys come by reference', () => {
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret')
    const env = workloads.flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ env = [] }) => env))
    const secret = env.filter(({ name }) => /PASSWORD|SECRET|TOKEN/.test(name))
    expect(secret.length).toBeGreaterThan(0)
    for (const { value, valueFrom } of secret) {
      expect(value).toBeUndefined()
      expect(valueFrom).toHaveProperty('secretKeyRef')
    }
    expect(readEnvFile(`${BASE}/stoker.env`).keys()).not.toContain('AWS_SECRET_ACCESS_KEY')
  })

  it('ask no more of Redis than apps may reach', () => {
    const policy = read(`${BASE}/network-policy.yaml`)
    expect(policy).toContain('uses-redis: "true"')
    for (const name of ['api', 'worker', 'trainer']) {
      const { template } = workloads.find(({ metadata }) => metadata.name === name)!.spec
      expect(template.metadata.labels['uses-redis']).toBe('true')
    }
    expect(read(`${BASE}/redis.yaml`)).toMatch(/--maxmemory-policy\s+- noeviction/)
  })
})

describe.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
  'the pods of %s',
  (_, { spec }) => {
    const pod = spec.template.spec
    const [container] = pod.containers as [Container]

    it('run as a user that is not root, without rights, on a read-only root', () => {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0)
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    })

    it('run an image whose version is pinned', () => {
      const replaced = kustomization.images.find(({ name }) => name === container.image)
      const tag = replaced ? replaced.newTag : container.image.split(':')[1]
      expect(tag).toMatch(/^\d+\.\d+/)
    })

    it('say what they need, and bound their memory', () => {
      expect(container.resources.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) })
      expect(container.resources.limits).toHaveProperty('memory')
    })

    it('mount volumes that are there', () => {
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name)
      const there = [...(pod.volumes ?? []).map(({ name }) => name), ...claims]
      expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(there.sort())
    })

    it('are probed at ports that they open', () => {
      const open = (container.ports ?? []).map(({ name }) => name)
      for (const probe of [container.readinessProbe, container.livenessProbe]) {
        const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port
        if (port !== undefined) expect(open).toContain(port)
      }
    })
  },
)

describe('the pods of the apps', () => {
  it('are probed at paths that the apps serve', () => {
    const routes = filesIn('apps/api/src/routes', '.ts').map(read).join('\n')
    const trainer = filesIn('apps/trainer/src/io', '.ts').map(read).join('\n')
    const pathOf = (name: string) => podOf(name).containers[0]!.readinessProbe!.httpGet!.path
    expect(routes).toContain(`'${pathOf('api')}'`)
    expect(trainer).toContain(`'${pathOf('trainer')}'`)
  })

  it('listen at the ports that the images listen at', () => {
    const [api, trainer] = ['api', 'trainer'].map((name) => podOf(name).containers[0]!.ports[0]!.containerPort)
    expect(read('docker/Dockerfile')).toContain(`STOKER_PORT=${api}`)
    expect(read('docker/Dockerfile')).toContain(`STOKER_TRAINER_HEALTH=0.0.0.0:${trainer}`)
  })

  it.each(['worker', 'trainer'])('of %s are given longer to end than the app takes', (name) => {
    const { containers, terminationGracePeriodSeconds = 30 } = podOf(name)
    const variable = `STOKER_${name.toUpperCase()}_GRACE_MS`
    const graceMs = containers[0]!.env!.find((one) => one.name === variable)?.value ?? variables.get(variable)
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(graceMs))
  })

  it('get the settings of stoker.env, and Redis with its password', () => {
    expect(kustomization.configMapGenerator).toEqual([{ name: 'stoker-config', envs: ['stoker.env'] }])
    for (const name of ['api', 'worker', 'trainer']) {
      const [container] = podOf(name).containers as [Container & { readonly envFrom: readonly object[] }]
      expect(container.envFrom).toContainEqual({ configMapRef: { name: 'stoker-config' } })
      const names = container.env!.map((one) => one.name)
      // Kubernetes puts a variable into another only when it comes before it.
      expect(names.indexOf('REDIS_PASSWORD')).toBeLessThan(names.indexOf('STOKER_REDIS_URL'))
      expect(names.indexOf('REDIS_PASSWORD')).toBeGreaterThanOrEqual(0)
    }
  })

  it('of the GPU overlay ask for one GPU in the container that the base has', () => {
    const [patch] = readYaml<Workload>('infra/kubernetes/overlays/gpu/trainer.yaml') as [Workload]
    const [container] = patch.spec.template.spec.containers as [Container]
    expect(patch.metadata.name).toBe('trainer')
    expect(container.name).toBe(podOf('trainer').containers[0]!.name)
    expect(container.resources.limits['nvidia.com/gpu']).toBe(1)
  })
})
