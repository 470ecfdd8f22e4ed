/**
 * The connections of a server from their first moment. The closing of an HTTPS server waits for one whose handshake has not ended, up
 * to two minutes, and neither its requests nor its idle connections hold that one: it has to be ended by hand.
 */
import type { Server, Socket } from 'node:net'

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
