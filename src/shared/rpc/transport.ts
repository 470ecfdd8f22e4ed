/**
 * How messages travel: two members and nothing else. Texts are JSON, so that no transport can carry what another cannot.
 * A lost connection is not the transport's to tell: whoever owns the connection calls `client.disconnect`.
 */
export interface Transport {
  send(text: string): void
  /** Calls `listener` with each text that arrives; returns the function that stops it. */
  onMessage(listener: (text: string) => void): () => void
}

/** The one name under which the Electron bridge and its channel are known on both sides. */
export const BRIDGE = 'countersign'
export const CHANNEL_TO_CORE = 'countersign:to-core'
export const CHANNEL_FROM_CORE = 'countersign:from-core'

/** The part of a WebSocket that a transport needs: the browser's own and the `ws` package's both have it. */
export interface WebSocketLike {
  send(data: string): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  removeEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
}

/** Makes a transport of an open WebSocket. Binary frames are ignored: the contract is JSON text. */
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
  }
}
