import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keys } from '@stoker/queue'
import type { Redis } from 'ioredis'

export interface Health {
  readonly port: number
  close(): Promise<void>
}

const ANSWER_WITHIN_MS = 2_000

/**
 * `GET /healthz`: 200 while the trainer can write to Redis, else 503. It is answered by the I/O thread, so a long
 * TensorFlow call does not make the trainer look dead.
 */
export async function startHealth(
  { host, port }: { readonly host: string; readonly port: number },
  redis: Redis,
  state: () => string,
): Promise<Health> {
  const canWrite = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS)
    })
    const written = redis.set(keys.health, '1', 'PX', ANSWER_WITHIN_MS).then(
      () => true,
      () => false,
    )
    return await Promise.race([written, late]).finally(() => clearTimeout(timer))
  }
  const server = createServer((request, response) => {
    if (request.url !== '/healthz') {
      response.writeHead(404).end()
      return
    }
    void canWrite().then((isHealthy) => {
      response.writeHead(isHealthy ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ status: isHealthy ? 'ok' : 'redis cannot be written', trainer: state() }))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
