/**
 * Faults of a sender: data that never was a request, a failed handshake. Each becomes one delivery marked as malformed, with the
 * reason, and gets a response if possible.
 */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Clock, Log } from '../base/deps.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import {
  conversationOf,
  interrupt,
  isQuietEnd,
  isQuietHandshake,
  type Conversation,
} from './conversation.ts'
import { handshakeReasonOf, reasonOf, statusOf, type ClientError } from './malformed.ts'
import type { ReceivedBody } from './read-body.ts'
import type { Answering, ReceivedRequest } from './exchange.ts'

export interface FaultsDeps {
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
const LINGER_MS = 1_000

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
