import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { which } from '@stoker/services'
import { expect, it } from 'vitest'
import { sendRange } from './odd-server.js'

const run = promisify(execFile)
const reader = fileURLToPath(new URL('./fixtures/read-https.mjs', import.meta.url))
const openssl = await which('openssl')

it.skipIf(!openssl)('https: reads from a server with a trusted certificate, and from no other', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-tls-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await run(openssl ?? '', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ])
  const bytes = new Uint8Array(1234)
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    if (request.url === '/down') response.writeHead(302, { location: 'http://localhost/' }).end()
    else sendRange(request, response, bytes, { etag: '"1"' })
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const read = async (path: string, env: Record<string, string>) =>
    (
      await run(process.execPath, [reader, `https://localhost:${port}${path}`], { env: { ...process.env, ...env } })
    ).stdout.trim()
  const trusted = { NODE_EXTRA_CA_CERTS: cert }
  expect(await read('/x', trusted)).toBe('1234')
  expect(await read('/x', {})).toMatch(/^STK_STORAGE_FAILED .*self-signed certificate/)
  expect(await read('/down', trusted)).toMatch(/^STK_STORAGE_FAILED .*redirects from https: to http:/)
  server.close()
  server.closeAllConnections()
  await rm(dir, { recursive: true })
})
