/**
 * The state of one connection: which request is being read and how many are waiting for a response. A sender's fault is then
 * reported once and correctly: as the end of a request in progress, or as something that never was a request.
 */
import type { Socket, Server } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientError } from './malformed.ts'

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
export function interrupt({ reading }: Conversation, fault: ClientError): boolean {
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
export function isQuietEnd(error: ClientError, socket: Duplex): boolean {
  const isNothingUnread = (socket as Socket).bytesRead <= conversationOf(socket).accounted
  return QUIET_ENDS.has(error.code ?? '') && (error.rawPacket?.length ?? 0) === 0 && isNothingUnread
}

/** The same before TLS is established. The underlying socket counts the handshake's bytes, and Node doesn't publish it. */
export function isQuietHandshake(error: ClientError, socket: Duplex): boolean {
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
