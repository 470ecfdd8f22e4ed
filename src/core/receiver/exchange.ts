/** What the receiver hands on of a request, and what it is told to answer. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Overflow, ReceivedBody } from './read-body.ts'

/** A request as it came. Method and path are null where not even the request line could be read. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  /** The fields that followed a chunked body. */
  readonly trailers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Why the request is malformed, or null. */
  readonly malformed: string | null
  /** What was made for a body over the limit, from its first byte. */
  readonly overflow: Overflow | null
}

/** What to answer, and where to tell how that went. `ms` runs from the request's last byte to the answer's. */
export interface Answering {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
  /** Waits this long before it, in milliseconds. */
  readonly delayMs: number
  /** Closes the connection in its place. */
  readonly drop: boolean
  onAnswered(status: number | null, ms: number): void
}
