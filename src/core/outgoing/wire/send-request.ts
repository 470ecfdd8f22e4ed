/** Request that a sender sends, and its result. */
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import type { SendFailure } from './send-failure.ts'

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** In the order and case to send. `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  /** In pieces if it should take its time; then the headers state its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs?: number
  /** Times the request out, for clocks faster than the wall clock. */
  readonly timeOut?: AbortSignal
  readonly signal?: AbortSignal
  /** Bytes to read, instead of the sender's limit. */
  readonly answerLimit?: number
}

interface SendPhases {
  readonly connect: number
  readonly wait: number
  readonly body: number
}

export interface SendResult {
  /** Set even if reading the body failed. */
  readonly status: number | null
  readonly ms: number
  /**
   * Milliseconds until the request could be written, until the response headers, and until the end.
   */
  readonly phases: SendPhases
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
}
