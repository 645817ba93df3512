import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface OddServer {
  readonly url: string
  readonly port: number
  readonly asked: Asked[]
  close(): Promise<void>
}

/** An HTTP server that answers as the test says, for what well-behaved servers do not do. */
export async function startOddServer(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<OddServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers })
    answer(request, response, asked.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Sends the range that was asked for, with the headers given. */
export function sendRange(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  headers: Record<string, string>,
): void {
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const end = Math.min(to === '' ? bytes.length : Number(to) + 1, bytes.length)
  const part = bytes.subarray(Number(from), end)
  response.writeHead(206, {
    ...headers,
    'content-length': part.length,
    'content-range': `bytes ${from}-${end - 1}/${bytes.length}`,
  })
  response.end(part)
}
