/**
 * The window's environment: one client that survives reconnections, the connection state, and the host's capabilities. The renderer
 * asks for capabilities, never for a platform.
 */
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'

export type ConnectionState =
  | { readonly phase: 'connecting' }
  /** The desktop app's window is open, and its core isn't yet. */
  | { readonly phase: 'starting' }
  /** The core can't open. `reason` is what happened and what to do, `details` a text for a bug report. */
  | { readonly phase: 'failed'; readonly reason: string; readonly details: string }
  | { readonly phase: 'open' }
  /** Lost, with automatic retries. `reason` is a sentence. */
  | { readonly phase: 'lost'; readonly reason: string }
  /** This page can't connect again: its session has ended, and only a new URL opens another. */
  | { readonly phase: 'over' }

export interface Host {
  readonly capabilities: Capabilities
  /** The same object through every reconnection. Calls reject with `DISCONNECTED` while there is no connection. */
  readonly client: Client
  /** Called with the current state and on each change. Returns a function that unsubscribes. */
  onConnection(listener: (state: ConnectionState) => void): () => void
}
