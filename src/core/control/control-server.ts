/**
 * The contract on a local channel for another process of the same user: a WebSocket on loopback that requires the token of
 * `instance.json`, or a proof of it, in its upgrade request, in a header that no web page can set. Serves nothing else.
 */
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { createServer } from '../base/node-http.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { webSocketTransport, type Transport } from '../../shared/rpc/transport.ts'
import { isSameSecret, proofOf } from '../base/proof.ts'
import { isResponding } from './connect.ts'
import { holdInstance, type Instance } from './instance-file.ts'

export type ControlServer = Awaited<ReturnType<typeof startControlServer>>

/** Maximum message size, in bytes. */
const MAX_MESSAGE = 32 * 1_048_576

/** Starts the channel. `connect` serves one transport and returns a function that ends it. */
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

/**
 * Holds the data folder for a core that serves it, and records how other processes reach it. Rejects with `ALREADY_RUNNING` if
 * another process serves the folder.
 */
export async function holdFolder({
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
  const { publish, release } = await holdInstance(dataFolder, instance, isResponding)
  return {
    /** Publishes where everything listens. */
    publish: (addresses: Pick<Instance, 'control' | 'receiver' | 'sandbox'>) =>
      publish({ ...instance, ...addresses }),
    release,
  }
}
