/** What `createCore` returns to its host: the contract served on any transport, and an orderly shutdown. */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { NativeHandlers } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { PortName } from '../../shared/model/settings.ts'
import type { AppStatus } from '../../shared/model/status.ts'

export interface CoreOptions {
  /**
   * Null: this core only uses the store (a command while Countersign isn't running). Ports are as given by the user: absent is the
   * port of the settings, 0 picks a free one and remembers it.
   */
  readonly serve: {
    /** Address to listen on: `127.0.0.1` unless the user chose another. */
    readonly host: string
    readonly receiverPort?: number
    readonly receiverHttpPort?: number
    readonly sandboxPort?: number
    /** Runs without the user's sandbox: its pending deliveries wait for another start. */
    readonly withoutSandbox?: true
    /**
     * `fail` (the default): a busy port rejects `createCore`. `show`: the core starts, and its receiver's state shows the error.
     */
    readonly whenPortBusy?: 'fail' | 'show'
  } | null
  /** Runs the store in the calling thread. */
  readonly withoutThreads?: true
  /** Functions that only a desktop host has. */
  readonly native?: NativeHandlers
  /** Creates a one-time URL of the app; absent if the host serves no page. */
  readonly openUrl?: () => Promise<string>
  /** Maximum size of the database in bytes: beyond it deliveries are rejected as on a full disk. */
  readonly maxDatabaseBytes?: number
}

export interface Core {
  /** Serves the contract on one transport, events included; returns the function that ends it. */
  connect(transport: Transport): () => void
  /** Receives every event; for code in the same process (tray, `serve` itself). */
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  status(): Promise<AppStatus>
  /** URL and token of the control channel, as in `instance.json`; null if nothing is served. */
  readonly control: { readonly url: string; readonly token: string } | null
  readonly ports: {
    /** The port to try: the requested one, for 0 the remembered one (0 if there is none), else the setting. Null: off. */
    choose(name: PortName, requested: number | undefined): Promise<number | null>
    /** Remembers the port that a request for 0 received. */
    remember(name: PortName, port: number): Promise<void>
  }
  /** Excludes a port of the host from ever being a send's target. */
  keepFromSends(port: number): void
  /**
   * The system says that the computer has woken up: makes due attempts. The core notices a sleep itself too.
   */
  resumed(): void
  /** Stops listening, lets work in progress end, closes the store. */
  close(): Promise<void>
}
