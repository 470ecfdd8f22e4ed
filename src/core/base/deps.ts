/** Parts of the core that a host provides: time, ids, randomness, secrets, a log. */

export interface Clock {
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
  /** Milliseconds with fractions; only differences are meaningful. */
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds since the computer started, including sleep. */
  uptime?(): number
  /** Ends waits that became due while the computer slept. */
  woke?(): void
}

export interface Ids {
  next(): string
}

export interface SealedSecret {
  readonly backend: string
  readonly sealed: Uint8Array
}

export interface SecretBackend {
  readonly name: 'keyring' | 'file'
  /** False if anyone who can read this user's files can open the secrets. */
  readonly protected: boolean
  /** Sentence about where secrets are stored. */
  readonly message: string
  seal(plain: string): Promise<Uint8Array>
  /** Rejects if this back end didn't seal it, or its key is lost. */
  open(sealed: Uint8Array): Promise<string>
}

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  /** Logs an error with its stack; returns its short reference. */
  bug(error: unknown, context: string): string
}

export interface WorkerEntries {
  readonly writer: URL
  readonly reader: URL
  readonly search: URL
  readonly diagnosis: URL
  readonly shrink: URL
  readonly encryption: URL
}

export interface Deps {
  readonly version: string
  readonly host: 'electron' | 'loopback' | 'command'
  /** Absolute path, created with mode 0700 if missing. */
  readonly dataFolder: string
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  /** Returns back ends for secrets: the first one seals, the others open earlier secrets. */
  secretBackends(dataFolder: string): Promise<readonly SecretBackend[]>
  readonly log: Log
  readonly workers: WorkerEntries
}
