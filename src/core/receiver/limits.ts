/** What the receiver accepts, and how long it waits. */
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'

export interface ReceiverLimits {
  /** Stored bytes of a body, read when one begins; a longer body gets the response 413, and its start is stored. */
  bodyBytes(): number
  /**
   * Bytes of all large bodies that arrive or are being stored at one time; beyond it the newest get a 503. With connections and
   * garbage they use 64 MiB.
   */
  readonly bytesInFlight: number
  /** Bytes of a request's headers in total. */
  readonly headerBytes: number
  /** Header lines of a request, and lines of its trailers; as few bytes as a line may have, each costs time and memory. */
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
