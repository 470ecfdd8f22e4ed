/**
 * Message transport. Messages are JSON text, so every transport can carry the same. A transport doesn't report a lost connection: the
 * owner of the connection calls `client.disconnect`.
 */
export interface Transport {
  send(text: string): void
  /** Calls `listener` with each message; returns a function that unsubscribes. */
  onMessage(listener: (text: string) => void): () => void
  /** Bytes that the other side hasn't read yet. Absent if they don't pile up in this process. */
  unread?(): number
  /** The ID of a browser's session. */
  readonly session?: string
  /** Whether the other side is the app's window, whose user can be asked. */
  readonly isWindow?: true
  /** Closes the connection, with a reason of at most 123 bytes. */
  end?(reason: string): void
}

/** The name of the Electron bridge and its channel on both sides. */
export const BRIDGE = 'countersign'
export const CHANNEL_TO_CORE = 'countersign:to-core'
export const CHANNEL_FROM_CORE = 'countersign:from-core'

/** The part of a WebSocket that a transport needs; the browser's and the `ws` package's both have it. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  send(data: string): void
  close(code: number, reason: string): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  removeEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
}

/** "Try again later" (RFC 6455, section 7.4.1, and IANA's registry). */
const TRY_AGAIN = 1_013

/** Creates a transport from an open WebSocket. Binary frames are ignored: the contract is JSON text. */
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

// Messages between a user interface and the core. Plain types without zod, because the preload imports them and must stay small.
// Every message is JSON.

/** An expected failure as sent; for an unexpected one, `ref` identifies the log entry. */
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

/** Cancels request `id`; a late response is ignored. */
export interface CancelMessage {
  readonly kind: 'cancel'
  readonly id: number
}

export type ResponseMessage =
  | { readonly kind: 'response'; readonly id: number; readonly ok: true; readonly output: unknown }
  | {
      readonly kind: 'response'
      readonly id: number
      readonly ok: false
      readonly error: WireError
    }

/** `seq` rises by one with each event of a connection: after a gap, the client must load its snapshot again. */
export interface EventMessage {
  readonly kind: 'event'
  readonly seq: number
  readonly event: string
  readonly payload: unknown
}

/** Events were dropped because the client didn't read them: it must load its snapshot again. Has the number of the last one. */
export interface MissedMessage {
  readonly kind: 'missed'
  readonly seq: number
}

/** Sent by a desktop host itself, outside the numbering of the core's events. */
export interface NativeMessage {
  readonly kind: 'native'
  readonly event: string
  readonly payload: unknown
}

export type ToCore = RequestMessage | CancelMessage
export type FromCore = ResponseMessage | EventMessage | MissedMessage | NativeMessage

/**
 * Two transports connected in memory, for tests and for a command that runs its own core. Delivery is asynchronous, as over a
 * network.
 */
export function createMemoryPair(): [Transport, Transport] {
  const listeners: [Set<(text: string) => void>, Set<(text: string) => void>] = [
    new Set(),
    new Set(),
  ]
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
