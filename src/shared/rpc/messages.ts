/**
 * Messages between a user interface and the core, without zod, because the preload must stay small.
 */

/** Expected failure, or the reference (`ref`) of a bug. */
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

/** Event; after a gap in `seq`, the client must load its snapshot again. */
export interface EventMessage {
  readonly kind: 'event'
  readonly seq: number
  readonly event: string
  readonly payload: unknown
}

/** Notice of events that the client didn't read, up to `seq`. */
export interface MissedMessage {
  readonly kind: 'missed'
  readonly seq: number
}

/** Event of a desktop host, not numbered. */
export interface NativeMessage {
  readonly kind: 'native'
  readonly event: string
  readonly payload: unknown
}

export type ToCore = RequestMessage | CancelMessage

export type FromCore = ResponseMessage | EventMessage | MissedMessage | NativeMessage
