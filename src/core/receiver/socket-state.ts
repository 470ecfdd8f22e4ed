/** The state of a connection, to tell a broken request from a connection that sent none. */
import type { Duplex } from 'node:stream'
import type { ClientError } from './malformed-reasons.ts'
import type { Socket } from 'node:net'

export interface SocketState {
  /**
   * Body being read; a plain object, because closures kept requests in memory and took 10 ms
   * instead of 1.5.
   */
  reading: { stop(): boolean; fault: ClientError | null } | null
  /** Bytes of the connection used by the requests so far. */
  requestBytes: number
  /** Requests being read or waiting for a response. */
  inProgress: number
  /** Response to write after those in progress. */
  whenIdle: (() => void) | null
  /** Whether a fault was reported, which a second one would repeat. */
  hasReportedFault: boolean
}

const socketStates = new WeakMap<Duplex, SocketState>()

export function socketStateOf(socket: Duplex): SocketState {
  let socketState = socketStates.get(socket)
  if (socketState === undefined) {
    socketState = {
      reading: null,
      requestBytes: 0,
      inProgress: 0,
      whenIdle: null,
      hasReportedFault: false,
    }
    socketStates.set(socket, socketState)
  }
  return socketState
}

/** Errors of connections without a request, such as a port check. */
const QUIET_ENDS = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
])

/** Whether nothing was sent since the last request. */
export function isQuietEnd(error: ClientError, socket: Duplex): boolean {
  const isNothingUnread = (socket as Socket).bytesRead <= socketStateOf(socket).requestBytes
  return QUIET_ENDS.has(error.code ?? '') && (error.rawPacket?.length ?? 0) === 0 && isNothingUnread
}

/** Whether nothing was sent, as counted by the socket below TLS, which Node doesn't publish. */
export function isQuietHandshake(error: ClientError, socket: Duplex): boolean {
  const underneath = (socket as { readonly _parent?: Socket | null })._parent
  return QUIET_ENDS.has(error.code ?? '') && (underneath?.bytesRead ?? 0) === 0
}

/** Returns an address like `127.0.0.1:51234`, or null. */
export function remoteOf(socket: Socket): string | null {
  return socket.remoteAddress === undefined
    ? null
    : `${socket.remoteAddress}:${socket.remotePort ?? 0}`
}
