import { connect } from 'node:net'
import { launch } from './launch.js'
import { redisProgram } from './redis-program.js'
import { ownFolder, type RunningServer, running } from './running-server.js'

export interface RedisOptions {
  /** A free one when left out. */
  readonly port?: number
  /** Folder of its data; nothing is kept when left out. */
  readonly dir?: string
  readonly maxmemoryBytes?: number
  /** Every write goes to an append-only file (synced each second), so that a killed server comes back with its data. */
  readonly appendOnly?: boolean
  /** The server program; found or fetched when left out. */
  readonly program?: string
}

/**
 * Starts a Redis (or Valkey) server on 127.0.0.1 and waits until it answers.
 *
 * @throws NoRedis when there is no server program and none can be fetched; ServerNotStarted with the server's log.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningServer> {
  const program = options.program ?? (await redisProgram())
  const folder = await ownFolder('stoker-redis-', options.dir)
  const keepsSnapshots = options.dir !== undefined && !options.appendOnly
  const args = (port: number) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path, '--daemonize', 'no', '--logfile', ''],
    ...['--maxmemory', String(options.maxmemoryBytes ?? 0), '--maxmemory-policy', 'noeviction'],
    ...['--appendonly', options.appendOnly ? 'yes' : 'no', '--save', keepsSnapshots ? '300 100 60 10000' : ''],
  ]
  try {
    const { server, port } = await launch({
      ...{ name: 'Redis', program, args, port: options.port, answers },
      options: folder.childOptions,
    })
    return running(`redis://127.0.0.1:${port}`, server, folder)
  } catch (error) {
    await folder.remove()
    throw error
  }
}

/** Asks for INFO rather than PING: the process id tells this server from another one that holds the port. */
function answers(port: number, pid: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\nINFO server\r\n'))
    let text = ''
    socket.setEncoding('utf8').setTimeout(1000, () => socket.destroy())
    socket.on('data', (chunk: string) => {
      text += chunk
      const id = /process_id:(\d+)\r/.exec(text)?.[1]
      if (id !== undefined || text.startsWith('-')) {
        socket.destroy()
        done(text.startsWith('+PONG') && Number(id) === pid)
      }
    })
    socket.once('error', fail)
    socket.once('close', () => done(false))
  })
}
