/** Interface between a core and its host. */
import { type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import { type NativeHandlers } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import type { Ports } from '../settings/ports.ts'

export interface CoreOptions {
  /**
   * Ports to listen on: an absent one is the settings' port, 0 a free port that is remembered. Null
   * starts no receiver.
   */
  readonly serve: {
    readonly host: string
    readonly receiverPort?: number
    readonly receiverHttpPort?: number
    readonly sandboxPort?: number
    /** Leaves the sandbox's pending deliveries for another start. */
    readonly withoutSandbox?: true
    /**
     * On a busy port, `createCore` rejects (`fail`, the default), or the receiver's state has the
     * error (`show`).
     */
    readonly whenPortBusy?: 'fail' | 'show'
  } | null
  /** Runs the store in the calling thread. */
  readonly withoutThreads?: true
  readonly native?: NativeHandlers
  readonly browsers?: () => { openUrl(): string; signOut(kept: string | null): void }
  /** Setup file that names this data folder. */
  readonly setupFile?: string
  /** Bytes, beyond which deliveries are rejected as on a full disk. */
  readonly maxDatabaseBytes?: number
}

export interface Core {
  /** Returns the function that ends the connection. */
  connect(transport: Transport): () => void
  /** Returns the function that ends the subscription. */
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  status(): Promise<AppStatus>
  /** URL and token in `instance.json`; null if nothing is served. */
  readonly control: { readonly url: string; readonly token: string } | null
  readonly ports: Ports
  blockPort(port: number): void
  /** Makes due attempts after the computer woke up. */
  resumed(): void
  close(): Promise<void>
}
