/** Request that a sender sends, and its result. */
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import type { SendFailure } from './send-failure.ts'

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** Headers in the order and case to send; `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  /** Body, in pieces if it should arrive slowly; the headers then state its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs?: number
  /** Signal that times the request out, for clocks faster than the wall clock. */
  readonly timeOut?: AbortSignal
  readonly signal?: AbortSignal
  /** Maximum bytes of the response to read, instead of the sender's limit. */
  readonly answerLimit?: number
}

interface SendPhases {
  readonly connect: number
  readonly wait: number
  readonly body: number
}

export interface SendResult {
  /** Status, set even if reading the body failed. */
  readonly status: number | null
  readonly ms: number
  /**
   * Durations in milliseconds: until the request could be written, until the response headers, and
   * until the end.
   */
  readonly phases: SendPhases
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
}
