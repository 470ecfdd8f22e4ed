/**
 * An HTTP endpoint on a bare socket that stores every byte it receives, and a core with captured
 * deliveries.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import type { Replay, Send } from '../../src/shared/model/send.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { until } from './until.ts'

export interface RawRequest {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: Buffer
}

export interface RawEndpoint {
  readonly origin: string
  readonly port: number
  readonly requests: RawRequest[]
  connections(): number
  close(): Promise<void>
}

type Answered = number | string | null

/**
 * Reads complete requests with a content-length and responds to each.
 * @param answer Called with the request and its number, from 1.
 */
export async function startRawEndpoint(
  answer: (request: RawRequest, number: number) => Answered | Promise<Answered> = () => 200,
  wantedPort = 0,
): Promise<RawEndpoint> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    connections++
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    let buffered = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (;;) {
        const end = buffered.indexOf('\r\n\r\n')
        if (end === -1) return
        const [line = '', ...headers] = buffered.subarray(0, end).toString('latin1').split('\r\n')
        const length = Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? 0)
        if (buffered.length < end + 4 + length) return
        const request = { line, headers, body: buffered.subarray(end + 4, end + 4 + length) }
        buffered = buffered.subarray(end + 4 + length)
        requests.push(request)
        const write = (answered: Answered) => {
          if (typeof answered === 'number')
            socket.write(`HTTP/1.1 ${answered} Answered\r\ncontent-length: 0\r\n\r\n`)
          else if (answered !== null) socket.write(answered)
        }
        const answered = answer(request, requests.length)
        if (answered instanceof Promise) void answered.then(write)
        else write(answered)
      }
    })
  })
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve),
  )
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function headerOf(request: RawRequest | undefined, name: string): string | undefined {
  const headerLine = request?.headers.find((header) => header.toLowerCase().startsWith(`${name}: `))
  return headerLine?.slice(name.length + 2)
}

export interface Replayed {
  readonly replay: Replay
  readonly sends: readonly Send[]
}

export async function endOf(client: Client, replayId: string): Promise<Replayed> {
  const read = async () => (await client.call('replay.get', { replayId })).replay
  const replay = await until(client, 'replay.changed', read, ({ state }) => state !== 'running')
  return { replay, sends: (await client.call('replay.sends', { replayId, limit: 1_000 })).sends }
}

export async function runReplay(client: Client, input: InputOf<'replay.start'>): Promise<Replayed> {
  const { replay } = await client.call('replay.start', input)
  return endOf(client, replay.id)
}
