/** The window's host. The renderer asks for its capabilities, never for a platform. */
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'

export type ConnectionState =
  | { readonly phase: 'connecting' }
  /** The desktop app's window is open, but its core isn't yet. */
  | { readonly phase: 'starting' }
  /** The core can't open. `reason` is a cause with a remedy, `details` a text for a bug report. */
  | { readonly phase: 'failed'; readonly reason: string; readonly details: string }
  | { readonly phase: 'open' }
  /** The connection is lost and being retried; `reason` is a sentence. */
  | { readonly phase: 'lost'; readonly reason: string }
  /** The session has ended; only a new URL opens another. */
  | { readonly phase: 'over' }

export interface Host {
  readonly capabilities: Capabilities
  /** Client for all connections; between them, calls reject with `DISCONNECTED`. */
  readonly client: Client
  /** Calls back with the current state and on each change; returns a function that stops it. */
  onConnection(listener: (state: ConnectionState) => void): () => void
}
