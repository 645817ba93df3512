import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { type RunningApi, startApi, toConfig } from '@stoker/api'
import { type RunningServer, startRedis } from '@stoker/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.js'
import { type Certificate, makeCertificate } from './certificate.js'

const healthScript = fileURLToPath(new URL('../../docker/health/http.mjs', import.meta.url))

describe('an api with a certificate', () => {
  let folder: string
  let mine: Certificate
  let other: Certificate
  let redis: RunningServer
  let api: RunningApi

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoker-tls-'))
    ;[mine, other, redis] = await Promise.all([
      makeCertificate(folder, 'mine'),
      makeCertificate(folder, 'other'),
      startRedis(),
    ])
    api = await startApi(
      toConfig({
        ...{
          STOKER_REDIS_URL: redis.url,
          STOKER_STORE: `file://${folder}`,
          STOKER_PORT: '0',
          STOKER_LOG_LEVEL: 'silent',
        },
        ...{ STOKER_TLS_CERT_FILE: mine.certFile, STOKER_TLS_KEY_FILE: mine.keyFile },
      }),
    )
  })
  afterAll(async () => {
    await api?.close()
    await redis?.stop()
    await rm(folder, { recursive: true })
  })

  const ask = (ca: string, maxVersion: 'TLSv1.1' | 'TLSv1.3' = 'TLSv1.3'): Promise<number | string | undefined> =>
    new Promise((done) => {
      request(`${api.url}/v1/jobs`, { ca, maxVersion, minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
        .on('response', (response) => done(response.resume().statusCode))
        .on('error', (error: NodeJS.ErrnoException) => done(error.code))
        .end()
    })

  it('answers who trusts it, over TLS 1.2 or newer, and nobody in the clear', async () => {
    expect(api.url).toMatch(/^https:\/\/127\.0\.0\.1:/)
    expect(await ask(mine.ca)).toBe(200)
    expect(await ask(other.ca)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(await ask(mine.ca, 'TLSv1.1')).toBe('EPROTO')
    await expect(fetch(api.url.replace('https:', 'http:'))).rejects.toThrow('fetch failed')
  })

  it('is reached by the command line, which says so when it does not trust it', async () => {
    const env = { STOKER_URL: api.url }
    const trusting = await runCli(['jobs', '--json'], { env: { ...env, NODE_EXTRA_CA_CERTS: mine.certFile } })
    expect([trusting.code, trusting.lines], trusting.stderr).toEqual([0, [[]]])
    const refusing = await runCli(['jobs'], { env })
    expect(refusing.code).toBe(1)
    expect(refusing.stderr).toMatch(/SELF_SIGNED/)
  })

  it('is healthy to the health check of the image', async () => {
    const env = { STOKER_TLS_CERT_FILE: mine.certFile }
    const address = `${api.url.replace('https:', 'http:')}/healthz`
    const check = (url: string) => runCli([url], { script: healthScript, env })
    expect(await check(address)).toMatchObject({ code: 0, stderr: '' })
    expect(await check(`${address}/none`)).toMatchObject({ code: 1, stderr: expect.stringContaining('404') })
  })

  it('ends at once although a connection has asked nothing yet, in the clear and over TLS', async () => {
    const other = await startApi(
      toConfig({
        ...{
          STOKER_REDIS_URL: redis.url,
          STOKER_STORE: `file://${folder}`,
          STOKER_PORT: '0',
          STOKER_LOG_LEVEL: 'silent',
        },
        ...{ STOKER_TLS_CERT_FILE: mine.certFile, STOKER_TLS_KEY_FILE: mine.keyFile },
      }),
    )
    const plain = await startApi(
      toConfig({
        STOKER_REDIS_URL: redis.url,
        STOKER_STORE: `file://${folder}`,
        STOKER_PORT: '0',
        STOKER_LOG_LEVEL: 'silent',
      }),
    )
    const portOf = ({ url }: RunningApi) => Number(new URL(url).port)
    const sockets = [
      connect(portOf(plain), '127.0.0.1'),
      connect(portOf(other), '127.0.0.1'),
      connectTls({ port: portOf(other), host: '127.0.0.1', ca: mine.ca }),
    ]
    await Promise.all(sockets.map((socket, at) => once(socket, at < 2 ? 'connect' : 'secureConnect')))
    const closed = sockets.map((socket) => once(socket.on('error', () => {}).resume(), 'close'))
    const started = performance.now()
    await Promise.all([plain.close(), other.close(), ...closed])
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('does not start on files that do not fit, are missing, or hold no key', async () => {
    const empty = join(folder, 'empty')
    await writeFile(empty, '# nobody\n')
    const tls = (certificate: string, key: string) => () =>
      toConfig({ STOKER_TLS_CERT_FILE: certificate, STOKER_TLS_KEY_FILE: key })
    expect(tls(mine.certFile, other.keyFile)).toThrow(/STOKER_TLS_KEY_FILE cannot be used: .*key values mismatch/)
    expect(tls(empty, mine.keyFile)).toThrow('cannot be used')
    expect(tls(mine.certFile, '')).toThrow('one of them is not set')
    expect(tls(join(folder, 'none'), mine.keyFile)).toThrow(/STOKER_TLS_CERT_FILE names .*none, .* ENOENT/)
    expect(() => toConfig({ STOKER_API_KEYS_FILE: join(folder, 'none') })).toThrow(
      /STOKER_API_KEYS_FILE names .* ENOENT/,
    )
    expect(() => toConfig({ STOKER_API_KEYS_FILE: empty })).toThrow('expected a file with a key')
  })
})
