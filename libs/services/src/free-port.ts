import { createServer } from 'node:net'

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Another process may take it before the caller does, so whoever
 * binds it later must be ready to ask for another one.
 */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => done(port))
    })
  })
}
