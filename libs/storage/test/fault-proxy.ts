import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly range: string | undefined
  readonly ifMatch: string | undefined
  readonly acceptEncoding: string | undefined
  readonly signedHeaders: readonly string[]
}

/** What to do to one request on its way; nothing for a request that passes unharmed. */
export interface Fault {
  /** Answer this status, with the error code as S3 would word it. */
  readonly status?: number
  readonly code?: string
  /** Pass this many bytes of the body, then break the connection. */
  readonly cutAfter?: number
  /** Hide these headers from the server. They are signed, so this serves for objects that anybody may read. */
  readonly without?: readonly string[]
}

export interface FaultProxy {
  readonly url: string
  readonly seen: Seen[]
  /** Decides about each request from now on; `count` is the number of requests seen since. */
  onRequest(decide: (seen: Seen, count: number) => Fault | undefined): void
  /** Connections that clients hold to the proxy now. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** An HTTP proxy in front of a real S3 server that counts requests and does to some of them what networks do. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const seen: Seen[] = []
  let decide: (seen: Seen, count: number) => Fault | undefined = () => undefined
  let count = 0
  const server: Server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    const entry = {
      method,
      path,
      range: headers.range,
      ifMatch: headers['if-match'],
      acceptEncoding: headers['accept-encoding']?.toString(),
      signedHeaders: /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [],
    }
    seen.push(entry)
    const fault = decide(entry, ++count) ?? {}
    if (fault.status !== undefined) refuse(incoming, outgoing, fault.status, fault.code ?? 'Fault')
    else forward(target, incoming, outgoing, fault)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    onRequest: (next) => {
      decide = next
      count = 0
      seen.length = 0
    },
    connections: promisify(server.getConnections.bind(server)),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, status: number, code: string): void {
  incoming.resume().once('end', () => {
    outgoing.writeHead(status, { 'content-type': 'application/xml' })
    outgoing.end(
      incoming.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>made by the test</Message></Error>`,
    )
  })
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault): void {
  const headers = { ...incoming.headers }
  for (const name of fault.without ?? []) delete headers[name]
  if (fault.without) delete headers.authorization
  const onward = request(target, { method: incoming.method, path: incoming.url, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    let left = fault.cutAfter ?? Number.POSITIVE_INFINITY
    answer.on('data', (chunk: Buffer) => {
      if (left <= 0) return
      outgoing.write(chunk.subarray(0, left))
      left -= chunk.length
      // Ends the socket after what was written has been sent.
      if (left <= 0) outgoing.socket?.destroySoon()
    })
    answer.once('end', () => outgoing.end())
    answer.once('error', () => outgoing.destroy())
  })
  onward.once('error', () => outgoing.destroy())
  outgoing.once('close', () => onward.destroy())
  incoming.pipe(onward)
}
