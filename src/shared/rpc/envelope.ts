/**
 * The messages that cross the boundary between a user interface and the core. Plain types and no zod: the preload imports
 * them, and must stay small. Every message is JSON.
 */

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
