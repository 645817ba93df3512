import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Stack, startStack } from '@stoker/cli'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { connectRedis, redisReady } from '@stoker/queue'
import { canStartS3, type RunningS3, startS3 } from '@stoker/services'
import { makeApiKey } from '@stoker/settings'
import { fixedLen, pipeline, tfrecord } from '@stoker/spec'
import { createStore } from '@stoker/storage'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../support/run-cli.js'
import { type Certificate, makeCertificate } from './certificate.js'
import { STOKER_RULES, startTlsRedis, type TlsRedis } from './tls-redis.js'

const API = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url))
/** Every one can be recognised wherever it turns up, also as a part. */
const SECRETS = {
  redis: `Rd1s-S3cret p@ss/w#rd?:%41"'\\é`,
  s3: 'S3S3cretKeyThatIsRecognised0123456789ab',
  gs: 'GsS3cretKeyThatIsRecognised0123456789ab',
}
const key = makeApiKey('tester', ['admin'])
const plain = 'Pl41n-ApiKey-That-Is-Recognised-0123456789'

/** What must be found nowhere: the secrets, as they are and as an address, JSON or a header would write them. */
const traces = (): string[] => {
  const whole = [...Object.values(SECRETS), key.key, plain]
  const forms = whole.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64').slice(0, -4),
  ])
  return [...new Set([...forms, 'Rd1s-S3cret', 'S3S3cretKey', 'GsS3cretKey', 'Pl41n-ApiKey'])]
}
const found = (text: string): string[] => traces().filter((trace) => text.includes(trace))

describe.skipIf(!(await canStartS3()))('a stack whose every secret is set', () => {
  let folder: string
  let certificate: Certificate
  let s3: RunningS3
  let redis: TlsRedis
  let stack: Stack
  let env: NodeJS.ProcessEnv
  let auditor: Redis
  const seen: { readonly what: string; readonly text: string }[] = []
  const keep = (what: string, text: string) => {
    seen.push({ what, text })
    return text
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoker-secrets-'))
    for (const name of ['redis', 'data', 'state']) await mkdir(join(folder, name))
    certificate = await makeCertificate(folder, 'localhost')
    await writeFile(join(folder, 'keys'), `tester admin ${plain}\n`)
    const auditing = 'auditor'
    ;[redis, s3] = await Promise.all([
      startTlsRedis(join(folder, 'redis'), certificate, { stoker: SECRETS.redis, auditor: auditing }),
      startS3({ accessKeyId: 'stoker-s3', secretAccessKey: SECRETS.s3 }),
    ])
    await s3.bucket('data')
    env = {
      ...process.env,
      STOKER_REDIS_CA_FILE: certificate.certFile,
      ...{ STOKER_S3_ENDPOINT: s3.url, STOKER_S3_PATH_STYLE: 'true', STOKER_SOURCES: 's3://data,gs:' },
      ...{ AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: SECRETS.s3 },
      // A server that knows the key, and not this secret of it.
      STOKER_GS_ENDPOINT: s3.url,
      ...{ STOKER_GS_ACCESS_KEY_ID: s3.accessKeyId, STOKER_GS_SECRET_ACCESS_KEY: SECRETS.gs },
      ...{ STOKER_API_KEYS: key.line.replace('tester', 'other'), STOKER_API_KEYS_FILE: join(folder, 'keys') },
      ...{ STOKER_TLS_CERT_FILE: certificate.certFile, STOKER_TLS_KEY_FILE: certificate.keyFile },
      STOKER_LOG_LEVEL: 'trace',
    }
    const login = `stoker:${encodeURIComponent(SECRETS.redis)}`
    const ca = `ca=${encodeURIComponent(certificate.certFile)}`
    auditor = connectRedis(`rediss://auditor:${auditing}@127.0.0.1:${redis.port}?${ca}`, 'command')
    await vi.waitFor(() => redisReady(auditor), { timeout: 10_000 })
    stack = await startStack({
      ...{ workers: 1, port: 0, redisUrl: `rediss://${login}@127.0.0.1:${redis.port}`, store: 's3://data/store' },
      ...{ dataDir: join(folder, 'data'), stateDir: join(folder, 'state'), env },
    })
    await writeShards()
  })
  afterAll(async () => {
    await stack?.stop()
    auditor?.disconnect()
    await redis?.server.stop()
    await s3?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function writeShards(): Promise<void> {
    const store = createStore({
      fileRoots: [],
      s3: {
        ...{ endpoint: s3.url, region: s3.region, forcePathStyle: true },
        credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: SECRETS.s3 },
      },
    })
    const records = [0, 1, 2, 3].map((label) => encodeExample({ label: { int64: [label] } }))
    await store.write('s3://data/good.tfrecord', writeTfrecord(records))
    await store.write('s3://data/bad.tfrecord', writeTfrecord([...records, encodeExample({ other: { int64: [1] } })]))
    await store.close()
  }

  const job = (files: string) => ({
    pipeline: pipeline(tfrecord(files))
      .parseExample({ label: fixedLen('int64') })
      .batch(2)
      .prefetch(2)
      .toJSON(),
  })

  /** Asks over TLS with the key, and keeps the whole answer. */
  function ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    return new Promise((done, fail) => {
      const sent = request(`${stack.api}${path}`, {
        ...{ method, ca: certificate.ca, timeout: 20_000 },
        headers: { authorization: `Bearer ${key.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      })
      sent.on('error', fail).on('response', async (response) => {
        let text = ''
        for await (const piece of response) text += piece
        const { statusCode: status = 0, headers } = response
        keep(`${method} ${path}`, `${JSON.stringify(headers)}\n${text}`)
        done({ status, text })
      })
      sent.end(body ? JSON.stringify(body) : undefined)
    })
  }

  const stoker = async (args: readonly string[], apiKey = plain) => {
    const own = { ...env, STOKER_URL: stack.api, STOKER_API_KEY: apiKey, NODE_EXTRA_CA_CERTS: certificate.certFile }
    const ended = await runCli(args, { env: own as Record<string, string> })
    keep(`stoker ${args.join(' ')}`, `${ended.stdout}\n${ended.stderr}`)
    return ended
  }

  const submit = async (files: string): Promise<string> => {
    const { status, text } = await ask('POST', '/v1/jobs', job(files))
    expect(status, text).toBe(201)
    return (JSON.parse(text) as { id: string }).id
  }

  it('runs a good and a failing job over rediss://, with an ACL user, an awkward password and HTTPS', async () => {
    const good = await submit('s3://data/good.tfrecord')
    const pulled = await stoker(['pull', good, '--json'])
    expect([pulled.code, pulled.lines.length], pulled.stderr).toEqual([0, 2])
    const bad = await submit('s3://data/bad.tfrecord')
    const failed = await stoker(['pull', bad, '--json'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('bad.tfrecord')

    const { text: events } = await ask('GET', `/v1/jobs/${good}/events`)
    expect(events).toContain('succeeded')
    for (const id of [good, bad]) {
      for (const part of ['', '/bad-records', '/events', '/batches/0/0?format=json', '/batches/9/9']) {
        await ask('GET', `/v1/jobs/${id}${part}`)
      }
    }
    const refusals = [
      ['s3://data/none.tfrecord', 404],
      ['s3://elsewhere/x', 403],
      ['gs://data/good.tfrecord', 403],
    ] as const
    for (const [files, status] of refusals) expect((await ask('POST', '/v1/jobs', job(files))).status).toBe(status)
    const lists = ['/v1/jobs', '/healthz', '/readyz', '/queues', '/openapi.json', '/docs/json', '/', '/v1/nothing']
    for (const path of [...lists, '/queues/api/queues?activeQueue=stoker-tasks&status=latest&page=1&jobsPerPage=50'])
      await ask('GET', path)
    for (const path of ['/v1/session', '/v1/lint', '/v1/jobs']) await ask('POST', path, { seed: 'x' })
    await stoker(['jobs', '--json'])
    await stoker(['watch', bad, '--json'])
    await stoker(['doctor'])
    expect((await stoker(['jobs'], `${plain}x`)).stderr).toContain('STK_API_KEY_UNKNOWN')
    expect(seen.length).toBeGreaterThan(30)
    for (const { what, text } of seen) {
      expect(found(text), what).toEqual([])
    }
  })

  it('leaves no secret in Redis', async () => {
    let cursor = '0'
    const names: string[] = []
    do {
      const [next, some] = await auditor.scan(cursor, 'COUNT', 1000)
      cursor = next
      names.push(...some)
    } while (cursor !== '0')
    expect(names.filter((name) => !/^(stoker:|\{stoker\}:)/.test(name))).toEqual([])
    expect(names.length).toBeGreaterThan(20)
    const dump = await Promise.all(
      names.map(async (name) => (await auditor.dumpBuffer(name))?.toString('latin1') ?? ''),
    )
    const all = names.join('\n') + dump.join('\n')
    expect(all).toContain('good.tfrecord')
    expect(found(all)).toEqual([])
    // As UTF-8 too: a password may hold letters that Latin 1 writes otherwise.
    expect(found(Buffer.from(all, 'latin1').toString('utf8'))).toEqual([])
  })

  it('leaves no secret in a log or a command line, at the level trace', async () => {
    const logs = await readdir(stack.logDir)
    expect(logs.sort()).toEqual(['api.log', 'trainer.log', 'worker-1.log'])
    for (const name of logs) {
      const text = await readFile(join(stack.logDir, name), 'utf8')
      expect(text.length, name).toBeGreaterThan(50)
      expect(found(text), name).toEqual([])
    }
    for (const process of [stack.processes.api, stack.processes.trainer, ...stack.processes.workers]) {
      const commandLine = await readFile(`/proc/${process?.pid()}/cmdline`, 'utf8')
      expect(commandLine).toContain('main.js')
      expect(found(commandLine)).toEqual([])
    }
  })

  it('tells no secret when it cannot start', async () => {
    const starts: readonly (readonly [RegExp, Record<string, string>])[] = [
      [
        /STK_REDIS_REFUSED/,
        { STOKER_REDIS_URL: `rediss://stoker:${encodeURIComponent(`${SECRETS.redis}x`)}@127.0.0.1:${redis.port}` },
      ],
      [
        /STK_REDIS_ADDRESS/,
        { STOKER_REDIS_URL: `redis://stoker:${SECRETS.redis}@127.0.0.1:no-port`, STOKER_REDIS_CA_FILE: '' },
      ],
      [
        /STK_REDIS_UNAVAILABLE/,
        { STOKER_REDIS_URL: `rediss://stoker:${SECRETS.redis}@127.0.0.1:${redis.port}`, STOKER_REDIS_CA_FILE: '' },
      ],
      [/STK_API_KEYS/, { STOKER_API_KEYS: `x everything ${plain}` }],
      [/STK_API_KEYS/, { STOKER_API_KEYS: `x admin ${plain} ${plain}` }],
      [/STK_STORAGE_BAD_SETTING/, { STOKER_S3_ENDPOINT: `ftp://x:${SECRETS.s3}@host` }],
    ]
    const start = async ([code, changed]: (typeof starts)[number]) => {
      const login = `stoker:${encodeURIComponent(SECRETS.redis)}`
      const own = {
        ...env,
        STOKER_REDIS_URL: `rediss://${login}@127.0.0.1:${redis.port}`,
        STOKER_PORT: '0',
        ...changed,
      }
      const ended = await runCli([], { script: API, env: own as Record<string, string> })
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(code)])
      expect(found(ended.stdout + ended.stderr), ended.stderr).toEqual([])
    }
    await Promise.all(starts.map(start))
  })

  it('has the rights in Redis that SECURITY.md names', async () => {
    expect(await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8')).toContain(` ${STOKER_RULES}\``)
  })

  it('would find one', () => {
    for (const secret of [...Object.values(SECRETS), key.key, plain]) {
      for (const text of [`x ${secret} y`, JSON.stringify({ secret }), `//u:${encodeURIComponent(secret)}@host`]) {
        expect(found(text)).not.toEqual([])
      }
    }
  })
})
