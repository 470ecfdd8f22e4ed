/** Responses, as decided, sent and stored. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { DEFAULT_ANSWERING } from '../../shared/model/hook.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import type { SentResponse } from '../store/stored-responses.ts'

export interface ResponseDecision {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
  readonly delayMs: number
  readonly drop: boolean
}

/** Decision with a callback for its result; `ms` runs from the request's last byte. */
export interface ReportedDecision extends ResponseDecision {
  onAnswered(status: number | null, ms: number): void
}

/** Function that may respond in place of the hook's rule; null keeps the rule's response. */
export type Responder = (
  delivery: Pick<ReceivedDelivery, 'seq' | 'event' | 'hookId'>,
  body: Uint8Array,
) => Promise<ResponseDecision | null>

export const PLAIN_DECISION: ResponseDecision = { ...DEFAULT_ANSWERING, headers: [] }
const NOSNIFF: [string, string] = ['X-Content-Type-Options', 'nosniff']

/** Whether a response has no body, and so no length (RFC 9110, sections 6.4.1 and 8.6). */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

/** Returns the headers before those that Node adds. */
export function sentHeaders({
  status,
  headers,
  body,
}: Pick<ReportedDecision, 'status' | 'headers' | 'body'>): RawHeaders {
  const length: RawHeaders = hasNoBody(status)
    ? []
    : [['Content-Length', String(Buffer.byteLength(body))]]
  return [...headers, NOSNIFF, ...length]
}

const NOTHING_SENT: SentResponse = { status: null, headers: [], body: '' }
const keptResponses = new WeakMap<object, SentResponse>()

/** Returns the response to store, one object per decision; `status` is null if nothing was sent. */
export function responseToKeep(
  decided: Pick<ReportedDecision, 'status' | 'headers' | 'body'>,
  status: number | null,
): SentResponse {
  if (status === null) return NOTHING_SENT
  // Written by `#respondAndClose`, because the request couldn't be read.
  if (status !== decided.status)
    return {
      status,
      headers: [
        ['Connection', 'close'],
        ['Content-Length', '0'],
      ],
      body: '',
    }
  let response = keptResponses.get(decided)
  if (response === undefined) {
    const body = hasNoBody(status) ? '' : decided.body
    // Copies the stored part, and a byte to show that there was more.
    const kept =
      typeof body === 'string' ? body : new Uint8Array(body.subarray(0, KEPT_RESPONSE_BYTES + 1))
    response = { status, headers: sentHeaders(decided), body: kept }
    keptResponses.set(decided, response)
  }
  return response
}
