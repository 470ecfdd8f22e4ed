import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Registry } from '../hooks/registry.ts'

/** Request as received; method and path are null if the request line is unreadable. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  readonly trailers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Reason in a sentence, or null. */
  readonly malformed: string | null
}

export interface ReceivedBody {
  /** All bytes, or the start of a body over the limit. */
  readonly kept: Uint8Array
  /** Bytes received, including those beyond the limit. */
  readonly size: number
  /** SHA-256 in hexadecimal; empty if it wasn't computed while reading. */
  readonly sha256: string
  /** `null` for a body that is kept. */
  readonly oversizedVerification: OversizedVerification | null
  readonly aborted: boolean
  /** Frees `kept`. */
  release(): void
}

/** Verification of a body over the limit, whose bytes pass through it. */
export type OversizedVerification = ReturnType<Registry['judgeStream']>

/** Returns the body of a request without one, or the bytes of an unreadable request. */
export function emptyBody(kept: Uint8Array = new Uint8Array()): ReceivedBody {
  const release = () => undefined
  const size = kept.length
  return { kept, size, sha256: '', oversizedVerification: null, aborted: false, release }
}
