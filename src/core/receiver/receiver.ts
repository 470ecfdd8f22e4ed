/**
 * The receiver: HTTPS on loopback (and plain HTTP if a tunnel needs it), HTTP/1.1 only, any method and path. It stores requests
 * byte for byte, and responds only when `take` reports that the delivery is stored. Malformed requests are stored with their
 * reason.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createServer as createHttpServer } from '../base/node-http.ts'
import { sentHeaders, type Answering, type ReceivedRequest } from './exchange.ts'
import {
  createFaults,
  emptyBody,
  remoteOf,
  type FaultResponse,
  watchSockets,
  conversationOf,
  requestBegun,
  requestEnded,
  type Conversation,
  type BodyReading,
} from './faults.ts'
import { createHeldBodies } from './held-bodies.ts'
import type { TlsIdentity } from './identity.ts'
import { DEFAULT_LIMITS, type ReceiverLimits } from './limits.ts'
import { interruptionReasonOf, linesReasonOf, statusOf, versionReasonOf } from './malformed.ts'
import { receiveBody, TooMuchInFlight, type ReceivedBody, type Overflow } from './read-body.ts'

// Tests whether a port can be used, for the settings: they apply at the next start, when a failure would be too late.

/** Rejects with `PORT_IN_USE` if another program listens on the port of this computer, or with `INVALID_INPUT` if it can't be used. */
export function checkPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new AppError(
              'PORT_IN_USE',
              `Port ${port} is in use. Choose another port, or stop the program that uses it.`,
              {
                details: { port },
              },
            )
          : new AppError(
              'INVALID_INPUT',
              `Couldn't open port ${port} (${error.message}). Choose a port from 1024 to 65535.`,
            ),
      ),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}

export interface ReceiverDeps {
  readonly identity: TlsIdentity
  readonly clock: Clock
  readonly log: Log
  readonly limits?: ReceiverLimits
  readonly host: string
  readonly port: number
  /** Plain HTTP beside HTTPS; null to disable. */
  readonly httpPort: number | null
  /** Stores the request and returns the response; never rejects. */
  take(request: ReceivedRequest): Promise<Answering>
  /** Called when a body exceeds the limit, with the request's target. */
  startOverflow(target: string): Overflow
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

const CLOSE_PATIENCE_MS = 2_000

/** Senders can retry as soon as another body is stored. */
const NO_ROOM: FaultResponse = {
  status: 503,
  headers: ['Retry-After: 1'],
  onAnswered: () => undefined,
}

/** Node's flat list of names and values as pairs. */
function pairsOf(raw: readonly string[]): RawHeaders {
  const headers: RawHeaders = []
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.push([raw[index]!, raw[index + 1]!])
  return headers
}

function listen(
  server: Server | HttpsServer,
  host: string,
  port: number,
  option: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new AppError(
              'PORT_IN_USE',
              `Port ${port} is in use by another program. Stop it, or choose another port with ${option} (0 picks a free one).`,
              {
                details: { port, host },
              },
            )
          : new AppError(
              'RECEIVER_FAILED',
              `The receiver can't listen on ${host}:${port}: ${error.message}.`,
              { cause: error },
            ),
      ),
    )
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Starts listening. Rejects with `PORT_IN_USE` or `RECEIVER_FAILED`. */
export async function startReceiver(deps: ReceiverDeps) {
  const { clock, identity, log } = deps
  const limits = deps.limits ?? DEFAULT_LIMITS
  // Any single body fits, whatever its size.
  const heldBodies = createHeldBodies(() => Math.max(limits.bytesInFlight, limits.bodyBytes()))
  const faults = createFaults({
    clock,
    log,
    packetBytes: limits.headerBytes,
    take: (request) => deps.take(request),
  })
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
    response.once('finish', () => tell(answering.status))
    const answer = () => {
      if (response.destroyed) return
      if (answering.drop) {
        response.destroy()
        return
      }
      response.writeHead(answering.status, sentHeaders(answering).flat())
      response.end(answering.body)
    }
    if (answering.delayMs === 0) {
      response.once('close', () => tell(null))
      answer()
      return
    }
    const closed = new AbortController()
    response.once('close', () => {
      tell(null)
      closed.abort()
    })
    void clock.sleep(answering.delayMs, closed.signal).then(answer)
  }

  async function takeAndRelease(request: ReceivedRequest): Promise<Answering> {
    try {
      return await deps.take(request)
    } finally {
      request.body.release()
    }
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    conversation: Conversation,
  ): Promise<void> {
    const receivedAt = clock.now()
    const { socket } = request
    const remote = remoteOf(socket)
    const target = request.url ?? '/'
    let overflow: Overflow | null = null
    const reading: BodyReading = { stop: () => false, fault: null }
    conversation.reading = reading
    let body: ReceivedBody
    try {
      body = await receiveBody(
        request,
        limits,
        heldBodies,
        () => (overflow = deps.startOverflow(target)),
        (stop) => {
          reading.stop = stop
        },
      )
    } catch (error) {
      if (!(error instanceof TooMuchInFlight)) throw error
      conversation.faulty = true
      faults.answer(socket, conversation, NO_ROOM, clock.monotonic())
      return
    } finally {
      conversation.reading = null
      conversation.accounted = socket.bytesRead
    }
    const endedAt = clock.monotonic()
    const { fault } = reading
    const { rawHeaders, rawTrailers } = request
    const tooMany = linesReasonOf(request, limits.headerLines)
    const malformed = body.aborted
      ? interruptionReasonOf(fault, body.size, request.headers['content-length'])
      : (tooMany ?? versionReasonOf(request.httpVersion))
    if (malformed !== null) conversation.faulty = true
    const answering = await takeAndRelease({
      receivedAt,
      method: request.method ?? null,
      path: target,
      httpVersion: request.httpVersion,
      headers: pairsOf(rawHeaders).slice(0, limits.headerLines),
      trailers: pairsOf(rawTrailers).slice(0, limits.headerLines),
      body,
      remote,
      malformed,
      overflow,
    })
    if (malformed === null) send(response, answering, endedAt)
    else {
      const status = fault !== null ? statusOf(fault) : tooMany === null ? 400 : 431
      faults.answer(socket, conversation, { status, onAnswered: answering.onAnswered }, endedAt)
    }
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const conversation = conversationOf(request.socket)
    requestBegun(conversation)
    handle(request, response, conversation)
      .catch((error: unknown) => {
        log.bug(error, 'receiver')
        response.destroy()
      })
      .finally(() => requestEnded(conversation))
  }

  /** CONNECT and upgrades arrive as a bare socket: stored like any other request, then closed after the response. */
  function onConnect(request: IncomingMessage, socket: Duplex): void {
    const endedAt = clock.monotonic()
    socket.on('error', () => {
      // The sender is gone; the received part is stored.
    })
    deps
      .take({
        receivedAt: clock.now(),
        method: request.method ?? null,
        path: request.url ?? '',
        httpVersion: request.httpVersion,
        headers: pairsOf(request.rawHeaders),
        trailers: [],
        body: emptyBody(new Uint8Array()),
        remote: remoteOf(request.socket),
        malformed: null,
        overflow: null,
      })
      .then(({ status, onAnswered }) => {
        // A 2xx to CONNECT has no length (RFC 9110, section 9.3.6).
        const length = status < 300 ? '' : 'Content-Length: 0\r\n'
        socket.end(
          `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Error'}\r\n${length}Connection: close\r\n\r\n`,
          () => onAnswered(status, clock.monotonic() - endedAt),
        )
      })
      .catch((error: unknown) => log.bug(error, 'receiver'))
  }

  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    joinDuplicateHeaders: false,
    // A missing Host header is shown, not rejected.
    requireHostHeader: false,
  }

  function equip(server: Server | HttpsServer): void {
    // Node rejects or drops the lines from some beyond it: one more shows that there were too many.
    server.maxHeadersCount = limits.headerLines + 1
    server.on('request', onRequest)
    // Node would reject an unmet expectation before we see it: here it is just another header to show.
    server.on('checkExpectation', onRequest)
    server.on('connect', onConnect)
    server.on('clientError', faults.onMalformed)
  }

  const https = createHttpsServer({
    ...options,
    ...identity.certificate(),
    // Offers by HTTP/1.0-only senders are accepted too.
    ALPNProtocols: ['http/1.1', 'http/1.0'],
    handshakeTimeout: limits.headersTimeoutMs,
  })
  equip(https)
  const endConnections = watchSockets(https)
  // Node's own listener reports these as request errors, which they aren't.
  https.removeAllListeners('tlsClientError')
  https.on('tlsClientError', faults.onHandshakeFailed)
  const stopRenewal = identity.onRenewed((certificate) => https.setSecureContext(certificate))
  const http = deps.httpPort === null ? null : createHttpServer(options)
  if (http !== null) equip(http)

  const closeServer = (server: Server | HttpsServer): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
      setTimeout(() => {
        server.closeAllConnections()
        if (server === https) endConnections()
      }, CLOSE_PATIENCE_MS).unref()
    })
  const close = async () => {
    stopRenewal()
    await Promise.all(
      [https, http]
        .filter((server) => server !== null && server.listening)
        .map((server) => closeServer(server!)),
    )
  }

  try {
    const port = await listen(https, deps.host, deps.port, '--receiver-port')
    const httpPort =
      http === null
        ? null
        : await listen(http, deps.host, deps.httpPort ?? 0, '--receiver-http-port')
    return {
      port,
      httpPort /** Stops listening, and gives requests in progress a moment to end. */,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
