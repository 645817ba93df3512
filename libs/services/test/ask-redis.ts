import { connect, type Socket } from 'node:net'

/** Sends one inline command to a Redis server and gives the raw reply. */
export function askRedis(url: string, command: string): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.once('error', fail)
    socket.once('data', (data) => {
      socket.destroy()
      done(data.toString())
    })
  })
}

/** A connection to the server, and a promise for the moment when the server's side of it goes away. */
export function openConnection(url: string): Promise<{ socket: Socket; closed: Promise<void> }> {
  return new Promise((done, fail) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const closed = new Promise<void>((gone) => socket.once('close', () => gone()))
    socket.once('error', fail).once('connect', () => done({ socket, closed }))
  })
}
