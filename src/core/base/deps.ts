/**
 * What the core needs of its surroundings and cannot make itself: time, names, randomness, a place for secrets, a log. Each
 * host fills it, tests fill it with clocks that stand still. It grows only when a handler needs more.
 */

export interface Clock {
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
  /** Monotonic clock, in milliseconds with fractions; only differences mean anything. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Ids {
  /** A new unique name; names made later sort later. */
  next(): string
}

/** What is stored of a secret: sealed, with the name of the back end that can open it. */
export interface SealedSecret {
  readonly backend: string
  readonly sealed: Uint8Array
}

/** One way of keeping secrets at rest. Each sealed secret records the name of the back end that sealed it. */
export interface SecretBackend {
  readonly name: 'safe-storage' | 'keyring' | 'file'
  /** False where whoever can read this user's files can open the secrets too. */
  readonly protected: boolean
  /** One sentence for the user: where secrets are kept, and how well. */
  readonly message: string
  seal(plain: string): Promise<Uint8Array>
  /** Rejects where this back end did not seal it, or its key is gone. */
  open(sealed: Uint8Array): Promise<string>
}

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  /** Logs an unexpected error with its stack; returns the short reference under which it can be found. */
  bug(error: unknown, context: string): string
}

/** Addresses of the worker entries: the build decides where they are, so they come in from outside. */
export interface WorkerEntries {
  readonly writer: URL
  readonly reader: URL
  readonly search: URL
  /** Writes the database anew as a whole; started only for that. */
  readonly rewriting: URL
  readonly diagnosis: URL
  readonly shrink: URL
}

export interface Deps {
  readonly version: string
  readonly host: 'electron' | 'loopback' | 'command'
  /** Absolute path of the data folder; the core makes it (0700) where it is missing. */
  readonly dataFolder: string
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  /** Makes the back ends for secrets, best first; called once, after the data folder exists. */
  secretBackends(dataFolder: string): Promise<readonly SecretBackend[]>
  readonly log: Log
  readonly workers: WorkerEntries
}
