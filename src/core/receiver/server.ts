/**
 * The receiver: HTTPS on loopback (and plain HTTP for a tunnel), any method and path. A sender's
 * fault becomes one malformed delivery.
 */
import type { Server, ServerOptions } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { createServer as createHttpServer } from '../base/node-http.ts'
import { ConnectionHandler, type HandlerDeps } from './connection-handler.ts'
import type { TlsIdentity } from './identity.ts'
import { listenFor, watchSockets } from './listening.ts'
import { DEFAULT_LIMITS, type ReceiverLimits } from './receiver-limits.ts'

/** Milliseconds for requests in progress to end. */
const CLOSE_PATIENCE_MS = 2_000

interface ReceiverDeps extends HandlerDeps {
  readonly identity: Pick<TlsIdentity, 'certificate' | 'onRenewed'>
  readonly limits?: ReceiverLimits
  readonly host: string
  readonly port: number
  readonly httpPort: number | null
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts the receiver. Rejects with `PORT_IN_USE` or `RECEIVER_FAILED`. */
export async function startReceiver(deps: ReceiverDeps) {
  const limits = deps.limits ?? DEFAULT_LIMITS
  const handler = new ConnectionHandler(deps, limits)
  const https = createHttps(deps, limits, handler)
  const endConnections = watchSockets(https)
  const stopRenewal = deps.identity.onRenewed((renewed) => https.setSecureContext(renewed))
  const http =
    deps.httpPort === null
      ? null
      : addListeners(createHttpServer(optionsOf(limits)), limits, handler)
  const close = async () => {
    stopRenewal()
    await Promise.all([
      closeServer(https, endConnections),
      http === null ? null : closeServer(http, () => undefined),
    ])
  }
  try {
    const port = await listenFor(https, deps.host, deps.port, '--receiver-port')
    const httpPort =
      http === null
        ? null
        : await listenFor(http, deps.host, deps.httpPort ?? 0, '--receiver-http-port')
    return { port, httpPort, close }
  } catch (error) {
    await close()
    throw error
  }
}

function optionsOf(limits: ReceiverLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    joinDuplicateHeaders: false,
    // A missing Host header is shown, not rejected.
    requireHostHeader: false,
  }
}

function addListeners<Equipped extends Server>(
  server: Equipped,
  limits: ReceiverLimits,
  handler: ConnectionHandler,
): Equipped {
  // One line more than allowed shows that there were too many.
  server.maxHeadersCount = limits.headerLines + 1
  server.on('request', handler.onRequest)
  // Node would reject an unmet expectation.
  server.on('checkExpectation', handler.onRequest)
  server.on('connect', handler.onConnect)
  server.on('clientError', handler.onMalformed)
  return server
}

function createHttps(
  { identity }: Pick<ReceiverDeps, 'identity'>,
  limits: ReceiverLimits,
  handler: ConnectionHandler,
): HttpsServer {
  const server = createHttpsServer({
    ...optionsOf(limits),
    ...identity.certificate(),
    // Offers by HTTP/1.0-only senders are accepted too.
    ALPNProtocols: ['http/1.1', 'http/1.0'],
    handshakeTimeout: limits.headersTimeoutMs,
  })
  addListeners(server, limits, handler)
  // Node's own listener reports these as request errors, which they aren't.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', handler.onHandshakeFailed)
  return server
}

async function closeServer(server: Server, endConnections: () => void): Promise<void> {
  if (!server.listening) return
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => {
      server.closeAllConnections()
      endConnections()
    }, CLOSE_PATIENCE_MS).unref()
  })
}
