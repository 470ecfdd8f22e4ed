/**
 * The receiver: HTTPS on loopback (and plain HTTP if a tunnel needs it), HTTP/1.1 only, any method and path. It stores requests
 * byte for byte, and responds only when `take` reports that the delivery is stored. Faults of a sender, like data that never was a
 * request or a failed handshake, become one delivery marked as malformed each, with the reason, and get a response if possible.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createServer as createHttpServer, STATUS_CODES } from '../base/node-http.ts'
import type { TlsIdentity } from './identity.ts'
import { sentHeaders, type Answering } from './intake.ts'
import {
  type ClientError,
  createHeldBodies,
  DEFAULT_LIMITS,
  emptyBody,
  handshakeReasonOf,
  interruptionReasonOf,
  linesReasonOf,
  type Overflow,
  readBody,
  reasonOf,
  type ReceivedBody,
  type ReceivedRequest,
  type ReceiverLimits,
  statusOf,
  TooMuchInFlight,
  versionReasonOf,
} from './request.ts'

/** Starts to listen and returns the port. Rejects with what `failed` makes of the system's error. */
function listen(
  server: NetServer,
  host: string,
  port: number,
  failed: (error: Error, isInUse: boolean) => AppError,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(failed(error, error.code === 'EADDRINUSE')),
    )
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/**
 * Tests a port of the settings, which apply at the next start, when a failure would be too late. Rejects with `PORT_IN_USE` if
 * another program listens on it, or with `INVALID_INPUT` if it can't be used.
 */
export async function checkPortFree(port: number): Promise<void> {
  const server = createServer()
  await listen(server, '127.0.0.1', port, ({ message }, isInUse) =>
    isInUse
      ? new AppError(
          'PORT_IN_USE',
          `Port ${port} is in use. Choose another port, or stop the program that uses it.`,
          { details: { port } },
        )
      : new AppError(
          'INVALID_INPUT',
          `Couldn't open port ${port} (${message}). Choose a port from 1024 to 65535.`,
        ),
  )
  await new Promise<void>((resolve) => void server.close(() => resolve()))
}

/** Listens for deliveries. `option` chooses the port on the command line. */
function listenFor(server: NetServer, host: string, port: number, option: string): Promise<number> {
  return listen(server, host, port, (cause, isInUse) =>
    isInUse
      ? new AppError(
          'PORT_IN_USE',
          `Port ${port} is in use by another program. Stop it, or choose another port with ${option} (0 picks a free one).`,
          { details: { port, host } },
        )
      : new AppError(
          'RECEIVER_FAILED',
          `The receiver can't listen on ${host}:${port}: ${cause.message}.`,
          { cause },
        ),
  )
}

// The state of one connection: which request is being read and how many are waiting for a response. A sender's fault is then
// reported once and correctly: as the end of a request in progress, or as something that never was a request.

interface Conversation {
  /**
   * The request being read: ends it if it is incomplete, and the fault that ended it. A plain object, because a connection lives
   * long: with a closure over a request instead, each request stayed in memory until the next full collection, and each small one
   * took about 10 ms instead of 1.5.
   */
  reading: { stop(): boolean; fault: ClientError | null } | null
  /** Bytes of the connection used by the requests so far. */
  accounted: number
  /** Requests being read or waiting for a response. */
  underWay: number
  /** Called when no request is left. */
  whenIdle: (() => void) | null
  /** Whether a fault of this connection was reported: a second one would repeat it. */
  faulty: boolean
}

const conversations = new WeakMap<Duplex, Conversation>()

/** The state of a socket's connection, created if needed. */
function conversationOf(socket: Duplex): Conversation {
  let conversation = conversations.get(socket)
  if (conversation === undefined) {
    conversation = { reading: null, accounted: 0, underWay: 0, whenIdle: null, faulty: false }
    conversations.set(socket, conversation)
  }
  return conversation
}

/** Errors that occur on connections without a request too: a port check, a browser's spare connection, a kept-alive one. */
const QUIET_ENDS = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
])

/** Whether a connection closed, or stays silent, without having sent anything since its last request. */
function isQuietEnd(error: ClientError, socket: Duplex): boolean {
  const isNothingUnread = (socket as Socket).bytesRead <= conversationOf(socket).accounted
  return QUIET_ENDS.has(error.code ?? '') && (error.rawPacket?.length ?? 0) === 0 && isNothingUnread
}

/** The same before TLS is established. The underlying socket counts the handshake's bytes, and Node doesn't publish it. */
function isQuietHandshake(error: ClientError, socket: Duplex): boolean {
  const underneath = (socket as { readonly _parent?: Socket | null })._parent
  return QUIET_ENDS.has(error.code ?? '') && (underneath?.bytesRead ?? 0) === 0
}

/** A sender's address, as `127.0.0.1:51234`; null if the connection is already closed. */
function remoteOf(socket: Socket): string | null {
  return socket.remoteAddress === undefined
    ? null
    : `${socket.remoteAddress}:${socket.remotePort ?? 0}`
}

/**
 * A server's connections from their first moment: call this before it listens. The returned function closes every open connection,
 * because closing an HTTPS server waits up to two minutes for an unfinished handshake, which is neither a request nor idle.
 */
export function watchSockets(server: Pick<NetServer, 'on'>): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}

/** How long the sender of a fault has to read the response. */
export const LINGER_MS = 1_000
const CLOSE_PATIENCE_MS = 2_000

/** A response written directly, without a body. */
interface BareResponse extends Pick<Answering, 'onAnswered'> {
  readonly status: number
  /** A complete header line. */
  readonly header?: string
}

/** Senders can retry as soon as another body is stored. */
const NO_ROOM: BareResponse = {
  status: 503,
  header: 'Retry-After: 1',
  onAnswered: () => undefined,
}

interface ReceiverDeps {
  readonly identity: Pick<TlsIdentity, 'certificate' | 'onRenewed'>
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
  judgeStream(target: string): Overflow
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts listening. Rejects with `PORT_IN_USE` or `RECEIVER_FAILED`. */
export async function startReceiver(deps: ReceiverDeps) {
  const { clock, identity, log } = deps
  const limits = deps.limits ?? DEFAULT_LIMITS
  // Any single body fits, whatever its size.
  const heldBodies = createHeldBodies(() => Math.max(limits.bytesInFlight, limits.bodyBytes()))

  const msSince = (endedAt: number) => Math.round((clock.monotonic() - endedAt) * 1_000) / 1_000
  const reportBug = (error: unknown) => log.bug(error, 'receiver')

  /** Node's flat list of names and values as pairs. */
  function pairsOf(raw: readonly string[]): RawHeaders {
    const headers: RawHeaders = []
    const end = Math.min(raw.length, 2 * limits.headerLines)
    for (let index = 0; index + 1 < end; index += 2) headers.push([raw[index]!, raw[index + 1]!])
    return headers
  }

  async function take(
    request: IncomingMessage | null,
    rest: Pick<ReceivedRequest, 'receivedAt' | 'body' | 'remote' | 'malformed'>,
  ): Promise<Answering> {
    try {
      return await deps.take({
        method: request?.method ?? null,
        path: request?.url ?? null,
        httpVersion: request?.httpVersion ?? '1.1',
        headers: pairsOf(request?.rawHeaders ?? []),
        trailers: pairsOf(request?.rawTrailers ?? []),
        ...rest,
      })
    } finally {
      rest.body.release()
    }
  }

  function respond(response: ServerResponse, answering: Answering, endedAt: number): void {
    let ended = false
    const tell = (status: number | null) => {
      if (ended) return
      ended = true
      answering.onAnswered(status, msSince(endedAt))
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

  /**
   * Responds and closes the connection, after pending responses. Further data from the sender is read and discarded for a moment:
   * closing a connection with unread bytes resets it, and the response would be lost.
   */
  function respondAndClose(
    socket: Duplex,
    { status, header, onAnswered }: BareResponse,
    endedAt: number,
  ): void {
    const conversation = conversationOf(socket)
    const now = () => {
      if (!socket.writable) {
        socket.destroy()
        onAnswered(null, msSince(endedAt))
        return
      }
      const lines = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
        ...(header === undefined ? [] : [header]),
        'Connection: close',
        // A 2xx, which only CONNECT gets here, has no length (RFC 9110, section 9.3.6).
        ...(status < 300 ? [] : ['Content-Length: 0']),
      ]
      socket.end(`${lines.join('\r\n')}\r\n\r\n`)
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      onAnswered(status, msSince(endedAt))
    }
    if (conversation.underWay === 0) now()
    else conversation.whenIdle = now
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    conversation: Conversation,
  ): Promise<void> {
    const { socket } = request
    const remote = remoteOf(socket)
    const started = readBody(request, limits.bodyBytes(), heldBodies, () =>
      deps.judgeStream(request.url ?? '/'),
    )
    const reading: NonNullable<Conversation['reading']> = { stop: started.stop, fault: null }
    conversation.reading = reading
    let body: ReceivedBody
    try {
      body = await started.body
    } catch (error) {
      if (!(error instanceof TooMuchInFlight)) throw error
      conversation.faulty = true
      respondAndClose(socket, NO_ROOM, clock.monotonic())
      return
    } finally {
      conversation.reading = null
      conversation.accounted = socket.bytesRead
    }
    // A request is received once it is complete, so that the deliveries' order is that of their times.
    const receivedAt = clock.now()
    const endedAt = clock.monotonic()
    const { fault } = reading
    const tooMany = linesReasonOf(request, limits.headerLines)
    const malformed = body.aborted
      ? interruptionReasonOf(fault, body.size, request.headers['content-length'])
      : (tooMany ?? versionReasonOf(request.httpVersion))
    if (malformed !== null) conversation.faulty = true
    const answering = await take(request, { receivedAt, body, remote, malformed })
    if (malformed === null) {
      respond(response, answering, endedAt)
      return
    }
    const status = fault !== null ? statusOf(fault) : tooMany === null ? 400 : 431
    respondAndClose(socket, { status, onAnswered: answering.onAnswered }, endedAt)
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const conversation = conversationOf(request.socket)
    conversation.underWay++
    handle(request, response, conversation)
      .catch((error: unknown) => {
        reportBug(error)
        response.destroy()
      })
      .finally(() => {
        conversation.underWay--
        if (conversation.underWay > 0) return
        conversation.whenIdle?.()
        conversation.whenIdle = null
      })
  }

  /** CONNECT and upgrades arrive as a bare socket: stored like any other request, then closed after the response. */
  function onConnect(request: IncomingMessage, socket: Duplex): void {
    const endedAt = clock.monotonic()
    socket.on('error', () => {
      // The sender is gone; the received part is stored.
    })
    const remote = remoteOf(request.socket)
    take(request, { receivedAt: clock.now(), body: emptyBody(), remote, malformed: null })
      .then(({ status, onAnswered }) => respondAndClose(socket, { status, onAnswered }, endedAt))
      .catch(reportBug)
  }

  /** Stores data that isn't a request. */
  function takeUnreadable(malformed: string, socket: Duplex, packet?: Uint8Array) {
    const body = emptyBody(packet?.subarray(0, limits.headerBytes))
    return take(null, {
      receivedAt: clock.now(),
      body,
      remote: remoteOf(socket as Socket),
      malformed,
    })
  }

  function onMalformed(error: ClientError, socket: Duplex): void {
    const endedAt = clock.monotonic()
    const conversation = conversationOf(socket)
    const { reading } = conversation
    // If it occurs within a request, that request is the entry.
    if (reading !== null) {
      reading.fault = error
      if (reading.stop()) return
    }
    // More of a request that is already rejected. Closing the connection now would lose the response, which closes it afterwards.
    if (conversation.faulty) return
    if (isQuietEnd(error, socket)) {
      socket.destroy()
      return
    }
    conversation.faulty = true
    takeUnreadable(reasonOf(error, socket instanceof TLSSocket), socket, error.rawPacket)
      .then(({ onAnswered }) =>
        respondAndClose(socket, { status: statusOf(error), onAnswered }, endedAt),
      )
      .catch(reportBug)
  }

  function onHandshakeFailed(error: ClientError, socket: Duplex): void {
    const endedAt = clock.monotonic()
    const conversation = conversationOf(socket)
    const isReported = conversation.faulty || isQuietHandshake(error, socket)
    conversation.faulty = true
    if (!isReported) {
      // A handshake can't get a response.
      takeUnreadable(handshakeReasonOf(error), socket)
        .then(({ onAnswered }) => onAnswered(null, msSince(endedAt)))
        .catch(reportBug)
    }
    socket.destroy()
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

  function equip<Equipped extends Server>(server: Equipped): Equipped {
    // Node rejects or drops the lines from some beyond it: one more shows that there were too many.
    server.maxHeadersCount = limits.headerLines + 1
    server.on('request', onRequest)
    // Node would reject an unmet expectation before we see it: here it is just another header to show.
    server.on('checkExpectation', onRequest)
    server.on('connect', onConnect)
    server.on('clientError', onMalformed)
    return server
  }

  const https = equip(
    createHttpsServer({
      ...options,
      ...identity.certificate(),
      // Offers by HTTP/1.0-only senders are accepted too.
      ALPNProtocols: ['http/1.1', 'http/1.0'],
      handshakeTimeout: limits.headersTimeoutMs,
    }),
  )
  const endConnections = watchSockets(https)
  // Node's own listener reports these as request errors, which they aren't.
  https.removeAllListeners('tlsClientError')
  https.on('tlsClientError', onHandshakeFailed)
  const stopRenewal = identity.onRenewed((certificate) => https.setSecureContext(certificate))
  const http = deps.httpPort === null ? null : equip(createHttpServer(options))

  const closeServer = (server: Server): Promise<void> =>
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
    const servers = [https, http].filter((server) => server?.listening === true)
    await Promise.all(servers.map((server) => closeServer(server!)))
  }

  try {
    const port = await listenFor(https, deps.host, deps.port, '--receiver-port')
    const httpPort =
      http === null
        ? null
        : await listenFor(http, deps.host, deps.httpPort ?? 0, '--receiver-http-port')
    return {
      port,
      httpPort,
      /** Stops listening, and gives requests in progress a moment to end. */
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
