/** What `createCore` returns to its host: the contract served on any transport, and an orderly shutdown. */
import { commands, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import { createRouter, type Handlers, type NativeHandlers } from '../../shared/rpc/router.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { Ports } from '../settings/settings.ts'
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
  /** Absent if the host serves no page. */
  readonly browsers?: () => { openUrl(): string; signOut(kept: string | null): void }
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
  readonly ports: Ports
  /** Excludes a port of the host from ever being a send's target. */
  keepFromSends(port: number): void
  /**
   * The system says that the computer has woken up: makes due attempts. The core notices a sleep itself too.
   */
  resumed(): void
  /** Stops listening, lets work in progress end, closes the store. */
  close(): Promise<void>
}

// A core that a window can use before it is open, so that the window shows at once that Countersign starts, or why it can't.

export interface LateCoreOptions {
  /** Functions of the desktop host, which work without a core. */
  readonly native: NativeHandlers
  /** Turns the reason into the error that every command is rejected with. Called once. */
  onFailed(error: unknown): AppError
  /** Logs a bug and returns the short reference sent in its place. */
  reportBug(error: unknown, command: string): string
}

/** Rejects every command with `error`, except native ones. */
function createFailedCore(
  error: AppError,
  { native, reportBug }: LateCoreOptions,
): Pick<Core, 'connect'> {
  const rejected = () => Promise.reject(error)
  const handlers = Object.fromEntries(
    Object.keys(commands).map((name) => [name, rejected]),
  ) as unknown as Handlers
  const keptConsent = () => ({ allowHosts: [], live: [] })
  const router = createRouter({ handlers, native, keptConsent, reportBug })
  return { connect: (transport) => router.connect(transport).close }
}

/** Connects a transport to a core that opens later: messages wait until then. */
function connectLater(core: Promise<Pick<Core, 'connect'>>, transport: Transport): () => void {
  const waiting: string[] = []
  let isClosed = false
  let close = transport.onMessage((text) => waiting.push(text))
  void core.then((opened) => {
    if (isClosed) return
    close()
    close = opened.connect({
      ...transport,
      onMessage(listener) {
        const stop = transport.onMessage(listener)
        for (const text of waiting.splice(0)) listener(text)
        return stop
      },
    })
  })
  return () => {
    isClosed = true
    close()
  }
}

/** Messages wait until `opening` settles. Closing waits too, and closes the core if there is one. */
export function createLateCore(
  opening: Promise<Core>,
  options: LateCoreOptions,
): Pick<Core, 'connect' | 'close'> {
  const opened: Promise<Pick<Core, 'connect'>> = opening.catch((error: unknown) =>
    createFailedCore(options.onFailed(error), options),
  )
  let current: Pick<Core, 'connect'> | null = null
  void opened.then((core) => {
    current = core
  })
  return {
    // Once the core is there, a message is handled in the turn in which it arrives.
    connect: (transport) => current?.connect(transport) ?? connectLater(opened, transport),
    async close() {
      const core = await opening.catch(() => null)
      await core?.close()
    },
  }
}
