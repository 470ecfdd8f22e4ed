/**
 * Faults of a sender: data that never was a request, a failed handshake. Each becomes one delivery marked as malformed, with the
 * reason, and gets a response if possible.
 */
import type { Socket, Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Clock, Log } from '../base/deps.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import { handshakeReasonOf, reasonOf, statusOf, type ClientError } from './malformed.ts'
import type { ReceivedBody } from './read-body.ts'
import type { Answering, ReceivedRequest } from './exchange.ts'

interface FaultsDeps {
  readonly clock: Clock
  readonly log: Log
  /** How many bytes of unreadable data are stored. */
  readonly packetBytes: number
  take(request: ReceivedRequest): Promise<Answering>
}

/** A response written directly, without a body. */
export interface FaultResponse extends Pick<Answering, 'onAnswered'> {
  readonly status: number
  /** Complete header lines, such as `Retry-After: 1`. */
  readonly headers?: readonly string[]
}

/** How long the sender of a fault has to read the response. */
export const LINGER_MS = 1_000

/** A sender's address, as `127.0.0.1:51234`; null if the connection is already closed. */
export function remoteOf(socket: Socket): string | null {
  return socket.remoteAddress === undefined
    ? null
    : `${socket.remoteAddress}:${socket.remotePort ?? 0}`
}

/** The body of a request without one, or whose body was never read. */
export function emptyBody(bytes: Uint8Array): ReceivedBody {
  return {
    kept: bytes,
    size: bytes.length,
    sha256: '',
    truncated: false,
    aborted: false,
    release: () => undefined,
  }
}

export function createFaults({ clock, log, packetBytes, take }: FaultsDeps) {
  const sinceMs = (endedAt: number) => Math.round((clock.monotonic() - endedAt) * 1_000) / 1_000

  function takeUnreadable(reason: string, packet: Buffer, socket: Duplex): Promise<Answering> {
    return take({
      receivedAt: clock.now(),
      method: null,
      path: null,
      httpVersion: '1.1',
      headers: [],
      trailers: [],
      body: emptyBody(packet.subarray(0, packetBytes)),
      remote: remoteOf(socket as Socket),
      malformed: reason,
      overflow: null,
    })
  }

  function answer(
    socket: Duplex,
    conversation: Conversation,
    { status, headers = [], onAnswered }: FaultResponse,
    endedAt: number,
  ): void {
    const now = () => {
      if (!socket.writable) {
        socket.destroy()
        onAnswered(null, sinceMs(endedAt))
        return
      }
      const lines = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
        ...headers,
        'Connection: close',
        'Content-Length: 0',
      ]
      socket.end(`${lines.join('\r\n')}\r\n\r\n`)
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      onAnswered(status, sinceMs(endedAt))
    }
    if (conversation.underWay === 0) now()
    else conversation.whenIdle = now
  }

  return {
    /**
     * Responds and closes the connection, after pending responses. Further data from the sender is read and discarded for a moment:
     * closing a connection with unread bytes resets it, and the response would be lost.
     */
    answer,
    onMalformed(error: ClientError, socket: Duplex) {
      const endedAt = clock.monotonic()
      const conversation = conversationOf(socket)
      // If it occurs within a request, that request is the entry.
      if (interrupt(conversation, error)) return
      // More of a request that is already rejected. Closing the connection now would lose the response, which closes it afterwards.
      if (conversation.faulty) return
      if (isQuietEnd(error, socket)) {
        socket.destroy()
        return
      }
      conversation.faulty = true
      takeUnreadable(
        reasonOf(error, socket instanceof TLSSocket),
        error.rawPacket ?? Buffer.alloc(0),
        socket,
      )
        .then((answering) =>
          answer(
            socket,
            conversation,
            { status: statusOf(error), onAnswered: answering.onAnswered },
            endedAt,
          ),
        )
        .catch((failure: unknown) => log.bug(failure, 'receiver'))
    },
    onHandshakeFailed(error: ClientError, socket: Duplex) {
      const endedAt = clock.monotonic()
      const conversation = conversationOf(socket)
      const isTold = conversation.faulty || isQuietHandshake(error, socket)
      conversation.faulty = true
      if (!isTold) {
        // A handshake can't get a response.
        takeUnreadable(handshakeReasonOf(error), Buffer.alloc(0), socket)
          .then((answering) => answering.onAnswered(null, sinceMs(endedAt)))
          .catch((failure: unknown) => log.bug(failure, 'receiver'))
      }
      socket.destroy()
    },
  }
}

// The state of one connection: which request is being read and how many are waiting for a response. A sender's fault is then
// reported once and correctly: as the end of a request in progress, or as something that never was a request.

/** A request whose body is being read. */
export interface BodyReading {
  /** Ends the reading; false if the request is complete. */
  stop(): boolean
  /** The fault that ended it. */
  fault: ClientError | null
}

export interface Conversation {
  /**
   * The request being read. A plain object, because a connection lives long: with a closure over a request instead, each request
   * stayed in memory until the next full collection, and each small one took about 10 ms instead of 1.5.
   */
  reading: BodyReading | null
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
export function conversationOf(socket: Duplex): Conversation {
  let conversation = conversations.get(socket)
  if (conversation === undefined) {
    conversation = { reading: null, accounted: 0, underWay: 0, whenIdle: null, faulty: false }
    conversations.set(socket, conversation)
  }
  return conversation
}

/** Ends the reading of the current request because of a fault in it; false if none is being read, or it is complete. */
function interrupt({ reading }: Conversation, fault: ClientError): boolean {
  if (reading === null) return false
  reading.fault = fault
  return reading.stop()
}

export function requestBegun(conversation: Conversation): void {
  conversation.underWay++
}

export function requestEnded(conversation: Conversation): void {
  conversation.underWay--
  if (conversation.underWay > 0) return
  conversation.whenIdle?.()
  conversation.whenIdle = null
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

// A server's connections from their first moment. Closing an HTTPS server waits up to two minutes for an unfinished handshake,
// which is neither a request nor an idle connection: it must be closed explicitly.

/** Call this before the server listens; the returned function closes every open connection. */
export function watchSockets(server: Pick<Server, 'on'>): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}
