/** What the receiver takes, and for how long it waits. */
export interface ReceiverLimits {
  /** Bytes kept of a body; a longer one is answered 413, and its head is kept. */
  readonly bodyBytes: number
  /** Bytes of all bodies that are arriving at one time; beyond it, 503. */
  readonly bytesInFlight: number
  /** Bytes of all headers of a request. */
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

export const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: 10 * 1_048_576,
  bytesInFlight: 256 * 1_048_576,
  headerBytes: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,
}
