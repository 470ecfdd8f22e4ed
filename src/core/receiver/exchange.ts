/** What the receiver passes on about a request, the response it gets back, and what of it is stored. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import type { SentResponse } from '../store/describe-repo.ts'
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

/** The same for every response: a browser must not interpret it. */
const NOSNIFF: [string, string] = ['X-Content-Type-Options', 'nosniff']

/** Whether a response with this status has no body, and so no length (RFC 9110, sections 6.4.1 and 8.6). */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

/** The headers of a response as they are sent, before those that Node adds: its date, and the connection's. */
export function sentHeaders({
  status,
  headers,
  body,
}: Pick<Answering, 'status' | 'headers' | 'body'>): RawHeaders {
  const length: RawHeaders = hasNoBody(status)
    ? []
    : [['Content-Length', String(Buffer.byteLength(body))]]
  return [...headers, NOSNIFF, ...length]
}

const NOTHING_SENT: SentResponse = { status: null, headers: [], body: '' }
const known = new WeakMap<object, SentResponse>()

/**
 * What to store of a response once it is sent; `status` is null if it wasn't. Equal decisions give the same object, so that the
 * receiver's thread computes it once.
 */
export function responseToKeep(
  decided: Pick<Answering, 'status' | 'headers' | 'body'>,
  status: number | null,
): SentResponse {
  if (status === null) return NOTHING_SENT
  // Written without the decision, because the request couldn't be read.
  if (status !== decided.status)
    return {
      status,
      headers: [
        ['Connection', 'close'],
        ['Content-Length', '0'],
      ],
      body: '',
    }
  let response = known.get(decided)
  if (response === undefined) {
    const body = hasNoBody(status) ? '' : decided.body
    // A copy of the part that is stored, and one byte to show that there was more: the rest of the buffer isn't sent to the writer.
    const kept =
      typeof body === 'string' ? body : new Uint8Array(body.subarray(0, KEPT_RESPONSE_BYTES + 1))
    response = { status, headers: sentHeaders(decided), body: kept }
    known.set(decided, response)
  }
  return response
}
