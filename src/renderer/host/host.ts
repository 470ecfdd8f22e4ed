/**
 * The surroundings of the window: one client that outlives its connections, the state of the connection, and what the host
 * can do. The renderer asks for capabilities, never for a platform.
 */
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'

export type ConnectionState =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'open' }
  /** Lost, and tried again by itself. `reason` is a sentence. */
  | { readonly phase: 'lost'; readonly reason: string }
  /** This page may not connect any more: its session ended, and only a fresh address opens another. */
  | { readonly phase: 'over' }

export interface Host {
  readonly capabilities: Capabilities
  /** The same object through every reconnection; calls reject with `DISCONNECTED` while there is no connection. */
  readonly client: Client
  /** Hears the state now and each time that it changes; returns the function that stops it. */
  onConnection(listener: (state: ConnectionState) => void): () => void
}
