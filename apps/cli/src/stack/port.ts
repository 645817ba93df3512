import { createServer } from 'node:net'
import { freePort } from '@stoker/services'
import { PortTaken } from '../error-table.js'

/** The port itself when it can be bound, a free one for 0. @throws PortTaken */
export async function bindablePort(host: string, port: number): Promise<number> {
  if (port === 0) return freePort()
  if (await canBind(host, port)) return port
  throw PortTaken(port, host)
}

export function canBind(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, host, () => server.close(() => done(true)))
  })
}
