/**
 * The contract over a WebSocket. An upgrade has no Sec-Fetch header or custom header, and browsers send the cookie for any page on
 * any port, and to any port. So it needs our host, our exact origin, the session and a one-time ticket before the handshake.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Core } from '../core/app/core.ts'
import { webSocketTransport } from '../shared/rpc/transport.ts'
import type { HostPolicy } from './host-policy.ts'
import { refuseUpgrade } from './refusals.ts'
import type { Session, Sessions } from './sessions.ts'

export const RPC_PATH = '/rpc'
export const RPC_PROTOCOL = 'countersign'
const TICKET_PREFIX = 'ticket.'

/** Largest incoming message in bytes: the largest stored body in Base64, with some room. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576

export interface RpcSocketOptions {
  readonly core: Pick<Core, 'connect'>
  readonly policy: HostPolicy
  readonly sessions: Sessions
  /** The session of the request's cookie. */
  readonly sessionOf: (request: IncomingMessage) => Session | null
}

/** The ticket among the offered protocols, which must be exactly ours and a ticket. */
function ticketOf(request: IncomingMessage): string | null {
  const offered = (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
  const [protocol, ticket] = offered
  if (
    offered.length !== 2 ||
    protocol !== RPC_PROTOCOL ||
    ticket?.startsWith(TICKET_PREFIX) !== true
  )
    return null
  return ticket.slice(TICKET_PREFIX.length)
}

export function createRpcSocket({ core, policy, sessions, sessionOf }: RpcSocketOptions) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => RPC_PROTOCOL,
  })

  /** IDs of the connections' sessions. */
  const sessionIds = new Map<WebSocket, string>()

  /** The session that may connect with its ticket. */
  const admit = (request: IncomingMessage): Session | null => {
    if (policy.originOf(request) === null || request.url !== RPC_PATH) return null
    const session = sessionOf(request)
    const ticket = ticketOf(request)
    const isAdmitted = session !== null && ticket !== null && sessions.redeemTicket(session, ticket)
    return isAdmitted ? session : null
  }

  const serve = (socket: WebSocket, { id }: Session) => {
    sessionIds.set(socket, id)
    const disconnect = core.connect({ ...webSocketTransport(socket), session: id })
    socket.on('close', () => {
      sessionIds.delete(socket)
      disconnect()
    })
    // `ws` itself closes the connection after a broken or oversized frame.
    socket.on('error', () => undefined)
  }

  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      socket.on('error', () => socket.destroy())
      const session = admit(request)
      if (session === null) refuseUpgrade(socket)
      else server.handleUpgrade(request, socket, head, (opened) => serve(opened, session))
    },
    /** Closes the connections of all sessions but the one with the ID `kept`. */
    closeOthers(kept: string | null) {
      for (const [socket, id] of sessionIds) if (id !== kept) socket.terminate()
    },
    /** Closes every connection. */
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}
