/** Transport over a WebSocket of a browser or of the ws package. */
import type { Transport } from './transport.ts'

export interface WebSocketLike {
  readonly bufferedAmount: number
  send(data: string): void
  close(code: number, reason: string): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  removeEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
}

/** "Try again later" (RFC 6455, section 7.4.1, and IANA's registry). */
const TRY_AGAIN = 1_013

/** Creates a transport from an open WebSocket, ignoring binary frames. */
export function webSocketTransport(socket: WebSocketLike): Transport {
  return {
    send: (text) => {
      socket.send(text)
    },
    onMessage(listener) {
      const onMessage = (event: { data: unknown }) => {
        if (typeof event.data === 'string') listener(event.data)
      }
      socket.addEventListener('message', onMessage)
      return () => {
        socket.removeEventListener('message', onMessage)
      }
    },
    unread: () => socket.bufferedAmount,
    end: (reason) => socket.close(TRY_AGAIN, reason),
  }
}
