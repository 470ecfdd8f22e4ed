/** What `createCore` gives its host: the contract served on any transport, and an orderly end. */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { RepairState } from '../../shared/model/repair.ts'
import type { NativeHandlers } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { AppStatus } from '../../shared/model/status.ts'

/** Ports by name, as a user gives them: absent is the documented default, 0 picks a free one and remembers it. */
export const DEFAULT_PORTS = { ui: 4780, receiver: 4783, sandbox: 4784 } as const

export interface CoreOptions {
  /** Null: this core only touches the store (a command beside no running instance). */
  readonly serve: {
    /** Address to listen on: `127.0.0.1` but where the user asked for more. */
    readonly host: string
    readonly receiverPort?: number
    readonly receiverHttpPort?: number
    readonly sandboxPort?: number
    /** Leaves out the sandbox that people work with: what it has yet to send waits for another instance. */
    readonly withoutSandbox?: true
    /** `fail` (the default): a busy port rejects `createCore`. `show`: the core starts, and its receiver's state tells of it. */
    readonly whenPortBusy?: 'fail' | 'show'
  } | null
  /** What only a desktop host can do. */
  readonly native?: NativeHandlers
  /** How the host repairs a damaged database; absent where it can't. */
  readonly repair?: {
    /** The last repair since the host started; null if there was none. */
    state(): RepairState | null
    /** Closes this core, repairs the database and opens it again; at once, and without an answer. */
    start(damage: AppError): void
  }
  /** Makes a fresh one-time address of the app; absent where the host has none. */
  readonly openUrl?: () => Promise<string>
  /** Largest size of the database, in bytes: beyond it deliveries are refused as on a full disk. */
  readonly maxDatabaseBytes?: number
}

export interface Core {
  /** Serves the contract on one transport, events included; returns the function that ends it. */
  connect(transport: Transport): () => void
  /** Hears every event; for what lives in the same process (tray, `serve` itself). */
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  status(): Promise<AppStatus>
  /** Address of the control channel and its token, as `instance.json` tells them; null where nothing is served. */
  readonly control: { readonly url: string; readonly token: string } | null
  readonly ports: {
    /** The port to try for `name`: the one asked for, or for 0 the one remembered (0 where none is). */
    choose(name: string, requested: number | undefined, fallback: number): Promise<number>
    /** Remembers the port that a request for 0 got. */
    remember(name: string, port: number): Promise<void>
  }
  /** Keeps a port of the host's own from ever being the target of a send. */
  keepFromSends(port: number): void
  /** Tells every connection that this core has taken over. */
  announce(): void
  /** Stops listening, lets what is under way end, closes the store. */
  close(): Promise<void>
}
