import type { Socket } from 'node:net'
import type { App } from '../app-type.js'

/**
 * At its end Node's server lets go of connections that were answered, and waits for those that have asked nothing yet:
 * browsers and pools open some ahead of need, probes open one to see whether they can. These are closed here.
 */
export function closeSilentConnections(app: App): void {
  // By address: over TLS the socket that connects is another object than the one that asks.
  const silent = new Map<string, Socket>()
  let isClosing = false
  app.server.on('connection', (socket: Socket) => {
    if (isClosing) return socket.destroy()
    const name = nameOf(socket)
    silent.set(name, socket)
    socket.once('close', () => silent.delete(name))
    return undefined
  })
  app.server.on('request', ({ socket }) => silent.delete(nameOf(socket)))
  app.addHook('preClose', async () => {
    isClosing = true
    for (const socket of silent.values()) socket.destroy()
  })
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
