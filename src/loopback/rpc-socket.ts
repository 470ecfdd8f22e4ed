/**
 * The contract over a WebSocket. Browsers send the cookie for any page on any port, so an upgrade
 * needs our host, our exact origin, the session and a one-time ticket before the handshake.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Core } from '../core/app/core.ts'
import { webSocketTransport } from '../shared/rpc/web-socket-transport.ts'
import type { HostPolicy } from './host-policy.ts'
import { refuseUpgrade } from './refusals.ts'
import type { BrowserSession, Sessions } from './sessions.ts'

/** Bytes of the largest incoming message: the largest stored body in Base64, with some room. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576

export interface RpcSocketOptions {
  readonly core: Pick<Core, 'connect'>
  readonly policy: HostPolicy
  readonly sessions: Sessions
  readonly sessionOf: (request: IncomingMessage) => BrowserSession | null
}

/** Returns the ticket among the offered protocols, which must be exactly ours and a ticket. */
function ticketOf({ headers }: IncomingMessage): string | undefined {
  return /^countersign, ?ticket\.([\w-]+)$/.exec(headers['sec-websocket-protocol'] ?? '')?.[1]
}

export function createRpcSocket({ core, policy, sessions, sessionOf }: RpcSocketOptions) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => 'countersign',
  })

  const sessionIds = new Map<WebSocket, string>()

  const admit = (request: IncomingMessage): BrowserSession | null => {
    if (!policy.allowsHost(request) || policy.originOf(request) === null || request.url !== '/rpc')
      return null
    const [session, ticket] = [sessionOf(request), ticketOf(request)]
    if (session === null || ticket === undefined) return null
    return sessions.redeemTicket(session, ticket) ? session : null
  }

  const serve = (socket: WebSocket, { id }: BrowserSession) => {
    sessionIds.set(socket, id)
    const disconnect = core.connect({
      ...webSocketTransport(socket),
      session: id,
      isWindow: true,
    })
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
    closeOthers(kept: string | null) {
      for (const [socket, id] of sessionIds) if (id !== kept) socket.terminate()
    },
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}
