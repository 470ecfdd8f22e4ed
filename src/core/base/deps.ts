/**
 * What the core needs from a host: time, ids, randomness, storage for secrets, a log. Tests provide stopped clocks. It
 * grows only when a handler needs more.
 */

export interface Clock {
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
  /** Monotonic clock, in milliseconds with fractions; only differences are meaningful. */
  monotonic(): number
  /** Resolves after `ms`, or immediately when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds since the computer started, its sleep included. Absent for a clock that doesn't sleep with it. */
  uptime?(): number
  /** Call after the computer slept: ends the waits that are due. */
  woke?(): void
}

export interface Ids {
  /** A new unique name; later names sort later. */
  next(): string
}

/** The stored form of a secret: sealed, with the name of the back end that can open it. */
export interface SealedSecret {
  readonly backend: string
  readonly sealed: Uint8Array
}

/** A way to store secrets at rest. Each sealed secret records the name of its back end. */
export interface SecretBackend {
  readonly name: 'keyring' | 'file'
  /** False if anyone who can read this user's files can also open the secrets. */
  readonly protected: boolean
  /** One sentence for the user: where secrets are stored, and how well protected. */
  readonly message: string
  seal(plain: string): Promise<Uint8Array>
  /** Rejects if this back end didn't seal it, or its key is lost. */
  open(sealed: Uint8Array): Promise<string>
}

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  /** Logs an unexpected error with its stack; returns the short reference under which it can be found. */
  bug(error: unknown, context: string): string
}

/** URLs of the worker entries: they depend on the build, so the host provides them. */
export interface WorkerEntries {
  readonly writer: URL
  readonly reader: URL
  readonly search: URL
  readonly diagnosis: URL
  readonly shrink: URL
}

export interface Deps {
  readonly version: string
  readonly host: 'electron' | 'loopback' | 'command'
  /** Absolute path of the data folder; the core creates it (0700) if it is missing. */
  readonly dataFolder: string
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  /**
   * Creates the back ends for secrets; called once, after the data folder exists. The first one seals; the others only open what
   * another host sealed.
   */
  secretBackends(dataFolder: string): Promise<readonly SecretBackend[]>
  readonly log: Log
  readonly workers: WorkerEntries
}
