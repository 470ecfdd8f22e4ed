/**
 * What is known of one connection while requests come over it: which one is being read and how many are being answered. A
 * fault of the sender is then told once, as what it is: the end of a request that had begun, or something that never was one.
 */
import type { Socket, Server } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientError } from './malformed.ts'

/** A request whose body is being read. */
export interface BodyReading {
  /** Ends the reading; false where the request had come whole. */
  stop(): boolean
  /** The fault that ended it. */
  fault: ClientError | null
}

export interface Conversation {
  /**
   * The request that is being read. A plain object, since a connection lives long: with a closure over a request in its place
   * each request was kept until the next full collection, and each small one took about 10 ms instead of 1.5.
   */
  reading: BodyReading | null
  /** Bytes of the connection that the requests read so far account for. */
  accounted: number
  /** Requests that are being read or answered. */
  underWay: number
  /** Called when none is under way any more. */
  whenIdle: (() => void) | null
  /** Whether a fault of this connection has been told: a second one would be the same again. */
  faulty: boolean
}

const conversations = new WeakMap<Duplex, Conversation>()

/** The conversation over a socket; begins it where there is none yet. */
export function conversationOf(socket: Duplex): Conversation {
  let conversation = conversations.get(socket)
  if (conversation === undefined) {
    conversation = { reading: null, accounted: 0, underWay: 0, whenIdle: null, faulty: false }
    conversations.set(socket, conversation)
  }
  return conversation
}

/** Ends the reading of the present request for a fault in it; false where none is being read, or it had come whole. */
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

/** Errors that a connection without a request has too: a port check, a browser's spare connection, one that is kept alive. */
const QUIET_ENDS = new Set(['ECONNRESET', 'EPIPE', 'ERR_HTTP_REQUEST_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT'])

/** Whether a connection went away, or stays away, without having sent anything since its last request. */
export function isQuietEnd(error: ClientError, socket: Duplex): boolean {
  const isNothingUnread = (socket as Socket).bytesRead <= conversationOf(socket).accounted
  return QUIET_ENDS.has(error.code ?? '') && (error.rawPacket?.length ?? 0) === 0 && isNothingUnread
}

/** The same before TLS is up. The bytes of the handshake are counted by the socket underneath, which Node does not publish. */
export function isQuietHandshake(error: ClientError, socket: Duplex): boolean {
  const underneath = (socket as { readonly _parent?: Socket | null })._parent
  return QUIET_ENDS.has(error.code ?? '') && (underneath?.bytesRead ?? 0) === 0
}

// The connections of a server from their first moment. Closing an HTTPS server waits up to two minutes for an unfinished
// handshake, which is neither a request nor an idle connection: it must be closed explicitly.

/** To be called before the server listens; the function given ends every connection that is open. */
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
