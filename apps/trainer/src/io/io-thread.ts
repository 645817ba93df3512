import { parentPort, workerData } from 'node:worker_threads'
import { toStokerError } from '@stoker/spec'
import type { FromIoThread, ToIoThread } from '../protocol.js'
import { createIoContext, type IoSetup } from './context.js'
import { startIo } from './io.js'

// Entry of the worker_thread that holds every connection of the trainer. See io.ts.
const port = parentPort
if (!port) throw new Error('io-thread.js runs as a worker_thread only')
const tell = (message: FromIoThread, transfer: Parameters<typeof port.postMessage>[1] = []) =>
  port.postMessage(message, transfer)

try {
  const context = await createIoContext(workerData as IoSetup, (start, session) => {
    tell({ type: 'session', start, port: session }, [session])
  })
  const io = await startIo(context)
  port.on('message', (message: ToIoThread) => {
    // Ends this thread only. A timer of ioredis outlives its connection by up to a minute; all of ours is closed by now.
    if (message.type === 'close') void io.close().then(() => process.exit(0))
  })
  tell({ type: 'ready' })
} catch (error) {
  // As JSON: an error object loses its code on the way to the other thread.
  tell({ type: 'failed', error: toStokerError(error).toJSON() })
}
