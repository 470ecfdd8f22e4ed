/**
 * Started and finished sends on their way to the writer's thread: packed as a few lists of plain values, with all response bodies
 * in one buffer. Thousands of objects with header lists cost more to transfer than to store.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Send, SendState } from '../../shared/model/send.ts'
import { isRejection } from '../../shared/model/replay-edits.ts'
import { packBodies } from './ingest-repo.ts'
import { jsonOf } from './rows.ts'

/** How far a job may have progressed: its sends up to this place may have been sent. */
export interface Reached {
  readonly jobId: string
  readonly place: number
}

/** A send about to start. */
export interface BegunSend {
  readonly seq: number
  readonly at: number
  readonly registeredUrl: string | null
  /** Its target. */
  readonly target: string
}

/** A send's result; `not-sent` if it couldn't be made. */
export interface EndedSend {
  readonly seq: number
  readonly state: Extract<SendState, 'settled' | 'not-sent'>
  /** When it was sent, and the URL it was signed with; null: as recorded at its start, or not at all. */
  readonly startedAt: number | null
  readonly registeredUrl: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: Send['phases']
  readonly errorKind: Send['errorKind']
  readonly error: string | null
  /** Whether the endpoint acknowledged it; null if only our own receiver responded. */
  readonly passed: boolean | null
  /** Whether the endpoint should reject it. */
  readonly forged: boolean
  readonly certificateProblem: string | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** The sent headers, and its delivery's headers, on which they are mostly based; null if nothing was sent. */
  readonly request: {
    readonly method: string
    readonly headers: RawHeaders
    readonly captured: RawHeaders
  } | null
}

interface SendsBatch {
  readonly reached: readonly Reached[]
  readonly begun: readonly BegunSend[]
  readonly ended: readonly EndedSend[]
  /** Started sends that weren't sent, by seq: they are pending again. */
  readonly released: readonly number[]
}

/** Whether the endpoint did the right thing: rejected a forged send, acknowledged any other; null if only our own receiver responded. */
export function isRight(send: EndedSend): boolean | null {
  return send.forged && send.passed !== null ? isRejection(send) : send.passed
}

const bit = (is: boolean | null) => (is === null ? null : is ? 1 : 0)

/** A finished send. Everything after the first six values is bound directly, in the order that `record-sends.ts` names. */
export type EndedRow = readonly [
  seq: number,
  state: EndedSend['state'],
  passed: 0 | 1 | null,
  /** Bytes of its response body. */
  size: number,
  forged: 0 | 1 | null,
  right: 0 | 1 | null,
  ...values: readonly (string | number | null)[],
]

export interface PackedSends {
  readonly reached: readonly (readonly [place: number, jobId: string])[]
  readonly begun: readonly (readonly [
    at: number,
    registeredUrl: string | null,
    target: string,
    seq: number,
  ])[]
  readonly ended: readonly EndedRow[]
  readonly released: readonly number[]
  readonly bodies: Uint8Array<ArrayBuffer>
}

/** Serializes headers as JSON. An endpoint's responses mostly have the same ones, so the text is cached. */
function createHeadersText(): (headers: RawHeaders) => string {
  let last: RawHeaders = []
  let text = '[]'
  return (headers) => {
    const isSame =
      headers.length === last.length &&
      headers.every(([name, value], place) => {
        const other = last[place]
        return other?.[0] === name && other[1] === value
      })
    if (!isSame) {
      last = headers
      text = JSON.stringify(headers)
    }
    return text
  }
}

function toRow(send: EndedSend, headersText: (headers: RawHeaders) => string): EndedRow {
  return [
    send.seq,
    send.state,
    bit(send.passed),
    send.body.length,
    bit(send.forged),
    bit(isRight(send)),
    send.startedAt,
    send.registeredUrl,
    send.status,
    send.ms,
    send.phases === null ? null : JSON.stringify(send.phases),
    send.errorKind,
    send.error,
    send.certificateProblem,
    headersText(send.headers),
    send.truncated ? 1 : 0,
    send.request?.method ?? null,
    send.request === null ? null : packSentHeaders(send.request.headers, send.request.captured),
  ]
}

/** Its `bodies` have their own memory and may be transferred. */
export function packSends({ reached, begun, ended, released }: SendsBatch): PackedSends {
  const headersText = createHeadersText()
  return {
    reached: reached.map(({ jobId, place }) => [place, jobId]),
    begun: begun.map(({ at, registeredUrl, target, seq }) => [at, registeredUrl, target, seq]),
    ended: ended.map((send) => toRow(send, headersText)),
    released,
    bodies: packBodies(ended.map(({ body }) => body)),
  }
}

// Sent headers in their stored form. A replay's are the captured ones except for signature, timestamp and connection headers: only
// the difference is stored, a sixth of the whole. If more was changed, all are stored.

/** By place in the captured headers: the replacement value; null if the header wasn't sent. */
type Change = readonly [place: number, value: string | null]

interface ButFor {
  readonly but: readonly Change[]
}

/** A text for `unpackSentHeaders`; `captured` are the headers of the send's delivery. */
export function packSentHeaders(sent: RawHeaders, captured: RawHeaders): string {
  const but: Change[] = []
  let next = 0
  for (let place = 0; place < captured.length; place++) {
    const [name, value] = captured[place]!
    const line = sent[next]
    if (line?.[0] !== name) {
      but.push([place, null])
      continue
    }
    if (line[1] !== value) but.push([place, line[1]])
    next++
  }
  return JSON.stringify(next === sent.length ? ({ but } satisfies ButFor) : sent)
}

/** The sent headers. `packed` comes from `packSentHeaders` with the same captured headers. */
export function unpackSentHeaders(packed: string, captured: RawHeaders): RawHeaders {
  const kept = jsonOf('sends.sent_headers', packed) as RawHeaders | ButFor
  if (Array.isArray(kept)) return kept
  const changes = new Map(kept.but)
  return captured.flatMap(([name, value], place): RawHeaders => {
    const change = changes.get(place)
    return change === null ? [] : [[name, change ?? value]]
  })
}
