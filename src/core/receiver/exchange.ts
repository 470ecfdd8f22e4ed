/** What the receiver passes on about a request, and the response it gets back. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Overflow, ReceivedBody } from './read-body.ts'

/** A request as received. Method and path are null if not even the request line could be read. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  /** Trailers after a chunked body. */
  readonly trailers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Why the request is malformed, or null. */
  readonly malformed: string | null
  /** Created for a body over the limit, from its first byte. */
  readonly overflow: Overflow | null
}

/** The response, and a callback for its result. `ms` runs from the request's last byte to the response's. */
export interface Answering {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
  /** Delay before the response, in milliseconds. */
  readonly delayMs: number
  /** Closes the connection instead. */
  readonly drop: boolean
  onAnswered(status: number | null, ms: number): void
}
