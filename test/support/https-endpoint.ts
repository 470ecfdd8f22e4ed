/** A developer's endpoint: real HTTPS on a free port, with configurable responses. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { listen } from './listen.ts'
import type { TestTls } from './test-tls.ts'

export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: readonly string[]
  readonly httpVersion: string
  readonly body: Buffer
  readonly at: number
}

/** A status, or no response: the connection is dropped or stays open. */
export type EndpointAnswer =
  | number
  | 'drop'
  | 'hang'
  | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Endpoint {
  readonly origin: string
  readonly calls: ReceivedCall[]
  received(count: number): Promise<ReceivedCall[]>
  close(): Promise<void>
}

export async function startEndpoint(
  tls: TestTls['leaf'],
  answer: (call: number) => EndpointAnswer = () => 200,
): Promise<Endpoint> {
  const calls: ReceivedCall[] = []
  const sockets = new Set<Socket>()
  const waiting: { count: number; resolve: (calls: ReceivedCall[]) => void }[] = []
  const server = createServer({ ...tls, ALPNProtocols: ['http/1.1'] }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      calls.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        rawHeaders: request.rawHeaders,
        httpVersion: request.httpVersion,
        body: Buffer.concat(chunks),
        at: Date.now(),
      })
      for (const waiter of waiting) if (calls.length >= waiter.count) waiter.resolve(calls)
      const reply = answer(calls.length)
      if (reply === 'drop') request.socket.destroy()
      else if (typeof reply === 'function') reply(request, response)
      else if (reply !== 'hang') {
        response.statusCode = reply
        response.end()
      }
    })
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  return {
    origin: `https://127.0.0.1:${port}`,
    calls,
    received: (count) =>
      new Promise((resolve) => {
        if (calls.length >= count) resolve(calls)
        else waiting.push({ count, resolve })
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
