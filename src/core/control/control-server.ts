/**
 * The contract on a loopback WebSocket for this user's processes. It requires the token of
 * `instance.json`, or a proof, in a header that no web page can set.
 */
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { createServer } from '../base/node-http.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import { webSocketTransport } from '../../shared/rpc/web-socket-transport.ts'
import { isSameSecret, proofOf } from '../base/proof.ts'
import { isResponding } from './connect.ts'
import { reserveInstance, type Instance } from './instance-file.ts'

export type ControlServer = Awaited<ReturnType<typeof startControlServer>>

const MAX_MESSAGE = 32 * 1_048_576

/**
 * Starts the channel.
 * @param connect - serves one transport; returns its end
 */
export async function startControlServer(
  randomBytes: (count: number) => Uint8Array,
  connect: (transport: Transport) => () => void,
) {
  const token = Buffer.from(randomBytes(32)).toString('base64url')
  const server = createServer((_, response) => {
    response.writeHead(403, { 'Content-Length': '0', Connection: 'close' })
    response.end()
  })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE })

  server.on('upgrade', (request, socket, head) => {
    const { authorization = '', origin } = request.headers
    const nonce = /^Proof ([\w-]{43})\./.exec(authorization)?.[1]
    const expected =
      nonce === undefined
        ? `Bearer ${token}`
        : `Proof ${nonce}.${proofOf(token, 'client', url, nonce)}`
    if (origin !== undefined || !isSameSecret(authorization, expected)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (nonce !== undefined) webSocket.send(proofOf(token, 'server', url, nonce))
      const end = connect(webSocketTransport(webSocket))
      webSocket.on('close', end)
      webSocket.on('error', end)
    })
  })

  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
  const url = `ws://127.0.0.1:${port}`

  return {
    url,
    token,
    close: () =>
      new Promise<void>((resolve) => {
        for (const webSocket of sockets.clients) webSocket.terminate()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Reserves the data folder. Rejects with `ALREADY_RUNNING` if it is served. */
export async function reserveFolder({
  clock,
  dataFolder,
  host,
  version,
}: Pick<Deps, 'clock' | 'dataFolder' | 'host' | 'version'>) {
  const instance: Instance = {
    pid: process.pid,
    version,
    host,
    startedAt: new Date(clock.now()).toISOString(),
    control: null,
    receiver: null,
    sandbox: null,
    ca: caFileOf(dataFolder),
    data: dataFolder,
  }
  const { publish, release } = await reserveInstance(dataFolder, instance, isResponding)
  return {
    publish: (addresses: Pick<Instance, 'control' | 'receiver' | 'sandbox'>) =>
      publish({ ...instance, ...addresses }),
    release,
  }
}
