/**
 * The contract on a local channel for another process of the same user: a WebSocket on loopback. The client proves that it knows
 * the token of `instance.json`, after the server has; or it sends the token in a header that no web page can set. Serves nothing else.
 */
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { createServer } from '../base/node-http.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { webSocketTransport, type Transport } from '../../shared/rpc/transport.ts'
import { isSameSecret, NONCE, proofOf } from '../base/proof.ts'
import { isResponding, NONCE_HEADER } from './connect.ts'
import { holdInstance, type Instance } from './instance-file.ts'

export type ControlServer = Awaited<ReturnType<typeof startControlServer>>

/** Maximum message size, in bytes. */
const MAX_MESSAGE = 32 * 1_048_576

/** Milliseconds for a client's proof. */
const PROOF_MS = 10_000
/** Bytes that a client may send before its proof: a few reads, because its first commands may come with the proof. */
const MAX_UNPROVEN = 262_144

/** Starts the channel. `connect` serves one transport and returns a function that ends it. */
export async function startControlServer(
  randomBytes: (count: number) => Uint8Array,
  connect: (transport: Transport) => () => void,
) {
  const newSecret = () => Buffer.from(randomBytes(32)).toString('base64url')
  const token = newSecret()
  const server = createServer((_, response) => {
    response.writeHead(403, { 'Content-Length': '0', Connection: 'close' })
    response.end()
  })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE })

  const serve = (webSocket: WebSocket) => {
    const end = connect(webSocketTransport(webSocket))
    webSocket.on('close', end)
    webSocket.on('error', end)
  }

  /** Serves the client once it has sent its proof. */
  const challenge = (webSocket: WebSocket, { socket }: IncomingMessage, clientNonce: string) => {
    const ownNonce = newSecret()
    const prove = (end: 'client' | 'server') => proofOf(token, end, url, [clientNonce, ownNonce])
    const end = () => webSocket.terminate()
    const timer = setTimeout(end, PROOF_MS)
    const limit = () => {
      if (socket.bytesRead > MAX_UNPROVEN) end()
    }
    socket.on('data', limit)
    webSocket.on('error', end)
    webSocket.once('close', () => clearTimeout(timer))
    webSocket.once('message', (data: Buffer) => {
      socket.off('data', limit)
      clearTimeout(timer)
      if (isSameSecret(data.toString(), prove('client'))) serve(webSocket)
      else end()
    })
    webSocket.send(`${ownNonce}.${prove('server')}`)
  }

  server.on('upgrade', (request, socket, head) => {
    const { authorization, origin, [NONCE_HEADER]: nonce } = request.headers
    const hasToken = isSameSecret(authorization ?? '', `Bearer ${token}`)
    const hasNonce = authorization === undefined && NONCE.test(String(nonce))
    if (origin !== undefined || !(hasToken || hasNonce)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (hasToken) serve(webSocket)
      else challenge(webSocket, request, String(nonce))
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
