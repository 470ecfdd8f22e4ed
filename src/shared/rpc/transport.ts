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

// Messages between a user interface and the core. Plain types without zod: the preload imports them and must stay small. Every
// message is JSON.

/** What an expected failure looks like on the wire; `ref` names the entry in the log of an unexpected one. */
export interface WireError {
  readonly code: string
  readonly message: string
  readonly details?: unknown
  readonly ref?: string
}

export interface RequestMessage {
  readonly kind: 'request'
  readonly id: number
  readonly command: string
  readonly input: unknown
}

/** Asks the other side to give up on request `id`; its answer, should it still come, is ignored. */
export interface CancelMessage {
  readonly kind: 'cancel'
  readonly id: number
}

export type ResponseMessage =
  | { readonly kind: 'response'; readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly kind: 'response'; readonly id: number; readonly ok: false; readonly error: WireError }

/** `seq` rises by one with each event of a connection: a gap tells the receiver to load its snapshot again. */
export interface EventMessage {
  readonly kind: 'event'
  readonly seq: number
  readonly event: string
  readonly payload: unknown
}

export type ToCore = RequestMessage | CancelMessage
export type FromCore = ResponseMessage | EventMessage

/** Two transports joined in memory, for tests and for a command that runs its own core. Delivery is asynchronous, as on a wire. */
export function createMemoryPair(): [Transport, Transport] {
  const listeners: [Set<(text: string) => void>, Set<(text: string) => void>] = [new Set(), new Set()]
  const end = (own: 0 | 1, other: 0 | 1): Transport => ({
    send(text) {
      queueMicrotask(() => {
        for (const listener of listeners[other]) listener(text)
      })
    },
    onMessage(listener) {
      listeners[own].add(listener)
      return () => {
        listeners[own].delete(listener)
      }
    },
  })
  return [end(0, 1), end(1, 0)]
}
