import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'

export interface ReceiverLimits {
  /** Returns the limit in bytes; a longer body gets the response 413. */
  bodyBytes(): number
  /** Limit in bytes of large bodies in memory; beyond it the newest get a 503. */
  readonly bytesInFlight: number
  readonly headerBytes: number
  readonly headerLines: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

export const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: () => DEFAULT_SETTINGS.bodyLimit,
  bytesInFlight: 48 * 1_048_576,
  headerBytes: 65_536,
  headerLines: 500,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,
}
