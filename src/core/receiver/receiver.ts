/**
 * The receiver: HTTPS on loopback (and plain HTTP where a tunnel asks for it), HTTP/1.1 only, any method and path. It keeps
 * what came byte for byte, and answers only when `take` says that it is stored. What is malformed is handed on with its reason.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Clock, Log } from '../deps.ts'
import type { TlsIdentity } from './identity.ts'
import { DEFAULT_LIMITS, type ReceiverLimits } from './limits.ts'
import { reasonOf, statusOf, type ClientError } from './malformed.ts'
import { readBody, TooMuchInFlight, type InFlight, type ReceivedBody } from './read-body.ts'
import type { Overflow } from './read-body.ts'

/** A request as it came. Method and path are null where not even the request line could be read. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Why the request is malformed, or null. */
  readonly malformed: string | null
  /** What was made for a body over the limit, from its first byte. */
  readonly overflow: Overflow | null
}

/** What to answer, and where to tell how that went. `ms` runs from the request's last byte to the answer's. */
export interface Answering {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string
  onAnswered(status: number | null, ms: number): void
}

export interface ReceiverDeps {
  readonly identity: TlsIdentity
  readonly clock: Clock
  readonly log: Log
  readonly limits?: ReceiverLimits
  readonly host: string
  readonly port: number
  /** Plain HTTP beside HTTPS; null for none. */
  readonly httpPort: number | null
  /** Stores the request and says what to answer; it never rejects. */
  take(request: ReceivedRequest): Promise<Answering>
  /** Called when a body goes over the limit, with the request's target. */
  startOverflow(target: string): Overflow
}

export interface Receiver {
  readonly port: number
  readonly httpPort: number | null
  /** Stops listening, and gives what is under way a moment to end. */
  close(): Promise<void>
}

const CLOSE_PATIENCE_MS = 2_000
/** Fixed for every answer: what a page in a browser could make of it is nothing. */
const NOSNIFF: [string, string] = ['X-Content-Type-Options', 'nosniff']

function rawHeadersOf(message: IncomingMessage): RawHeaders {
  const headers: RawHeaders = []
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.push([message.rawHeaders[index]!, message.rawHeaders[index + 1]!])
  }
  return headers
}

function remoteOf(socket: Socket): string | null {
  return socket.remoteAddress === undefined ? null : `${socket.remoteAddress}:${socket.remotePort ?? 0}`
}

function emptyBody(bytes: Uint8Array): ReceivedBody {
  return { kept: bytes, size: bytes.length, sha256: '', truncated: false, aborted: false }
}

function listen(server: Server | HttpsServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new AppError(
              'PORT_IN_USE',
              `Port ${port} is taken by another program. Stop it, or choose another port (0 picks a free one).`,
              {
                details: { port, host },
              },
            )
          : new AppError('RECEIVER_FAILED', `The receiver cannot listen on ${host}:${port}: ${error.message}.`, { cause: error }),
      )
    })
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Starts to listen. Rejects with `PORT_IN_USE` or `RECEIVER_FAILED`. */
export async function startReceiver(deps: ReceiverDeps): Promise<Receiver> {
  const { clock, identity, log } = deps
  const limits = deps.limits ?? DEFAULT_LIMITS
  const inFlight: InFlight = { bytes: 0 }
  /** Sockets whose request is already being told as an entry of its own, so that a second error of theirs is not another. */
  const told = new WeakSet<Duplex>()

  function send(response: ServerResponse, answering: Answering, endedAt: number): void {
    let ended = false
    const tell = (status: number | null) => {
      if (ended) return
      ended = true
      answering.onAnswered(status, Math.round((clock.monotonic() - endedAt) * 1_000) / 1_000)
    }
    if (response.destroyed || response.writableEnded) {
      tell(null)
      return
    }
    response.once('finish', () => {
      tell(answering.status)
    })
    response.once('close', () => {
      tell(null)
    })
    response.writeHead(
      answering.status,
      [...answering.headers, NOSNIFF, ['Content-Length', String(Buffer.byteLength(answering.body))]].flat(),
    )
    response.end(answering.body)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = clock.now()
    const remote = remoteOf(request.socket)
    const target = request.url ?? '/'
    let overflow: Overflow | null = null
    let body: ReceivedBody
    try {
      body = await readBody(request, limits, inFlight, () => (overflow = deps.startOverflow(target)))
    } catch (error) {
      if (!(error instanceof TooMuchInFlight)) throw error
      response.writeHead(503, { 'Retry-After': '1', Connection: 'close', 'Content-Length': '0' })
      response.end()
      return
    }
    const endedAt = clock.monotonic()
    if (body.aborted) told.add(request.socket)
    const answering = await deps.take({
      receivedAt,
      method: request.method ?? null,
      path: target,
      httpVersion: request.httpVersion,
      headers: rawHeadersOf(request),
      body,
      remote,
      malformed: body.aborted
        ? `The body stopped after ${body.size} bytes: the sender closed the connection or was too slow${request.headers['content-length'] === undefined ? '' : ` (${request.headers['content-length']} bytes were announced)`}.`
        : null,
      overflow,
    })
    if (body.aborted) {
      answering.onAnswered(null, 0)
      return
    }
    send(response, answering, endedAt)
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    handle(request, response).catch((error: unknown) => {
      log.bug(error, 'receiver')
      response.destroy()
    })
  }

  /** CONNECT and friends come as a bare socket: kept like any other request, answered and closed. */
  function onConnect(request: IncomingMessage, socket: Duplex): void {
    const endedAt = clock.monotonic()
    socket.on('error', () => {
      // The sender is gone; what it sent is kept.
    })
    deps
      .take({
        receivedAt: clock.now(),
        method: request.method ?? null,
        path: request.url ?? '',
        httpVersion: request.httpVersion,
        headers: rawHeadersOf(request),
        body: emptyBody(new Uint8Array()),
        remote: remoteOf(request.socket),
        malformed: null,
        overflow: null,
      })
      .then((answering) => {
        socket.end(
          `HTTP/1.1 ${answering.status} ${answering.status === 200 ? 'OK' : 'Error'}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          () => {
            answering.onAnswered(answering.status, clock.monotonic() - endedAt)
          },
        )
      })
      .catch((error: unknown) => log.bug(error, 'receiver'))
  }

  function onMalformed(error: ClientError, socket: Duplex): void {
    const endedAt = clock.monotonic()
    const packet = error.rawPacket ?? Buffer.alloc(0)
    // A connection that closes without a word (a port check, a browser's spare connection) is no request.
    const isSilent =
      packet.length === 0 && (error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'HPE_INVALID_EOF_STATE')
    if (told.has(socket) || isSilent) {
      socket.destroy()
      return
    }
    told.add(socket)
    const status = statusOf(error)
    deps
      .take({
        receivedAt: clock.now(),
        method: null,
        path: null,
        httpVersion: '1.1',
        headers: [],
        body: emptyBody(packet.subarray(0, limits.headerBytes)),
        remote: remoteOf(socket as Socket),
        malformed: reasonOf(error),
        overflow: null,
      })
      .then((answering) => {
        if (!socket.writable) {
          socket.destroy()
          answering.onAnswered(null, clock.monotonic() - endedAt)
          return
        }
        socket.end(`HTTP/1.1 ${status} Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
        answering.onAnswered(status, clock.monotonic() - endedAt)
      })
      .catch((failure: unknown) => log.bug(failure, 'receiver'))
  }

  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    joinDuplicateHeaders: false,
    // A missing Host header is one more thing to show, not to refuse.
    requireHostHeader: false,
  }

  function equip(server: Server | HttpsServer): void {
    server.maxHeadersCount = 0
    server.on('request', onRequest)
    server.on('connect', onConnect)
    server.on('clientError', onMalformed)
  }

  const https = createHttpsServer({ ...options, ...identity.certificate(), ALPNProtocols: ['http/1.1'] })
  equip(https)
  https.on('tlsClientError', (error: ClientError, socket) => {
    // Only a handshake that one side refused is worth showing; a connection that just went away is not.
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return
    onMalformed(error, socket)
  })
  const stopRenewal = identity.onRenewed((certificate) => {
    https.setSecureContext(certificate)
  })
  const http = deps.httpPort === null ? null : createHttpServer(options)
  if (http !== null) equip(http)

  const closeServer = (server: Server | HttpsServer): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve()
      })
      server.closeIdleConnections()
      setTimeout(() => {
        server.closeAllConnections()
      }, CLOSE_PATIENCE_MS).unref()
    })
  const close = async () => {
    stopRenewal()
    await Promise.all([https, http].filter((server) => server !== null && server.listening).map((server) => closeServer(server!)))
  }

  try {
    const port = await listen(https, deps.host, deps.port)
    const httpPort = http === null ? null : await listen(http, deps.host, deps.httpPort ?? 0)
    return { port, httpPort, close }
  } catch (error) {
    await close()
    throw error
  }
}
