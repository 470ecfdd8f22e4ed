/**
 * What begins and what ends of sends, as it goes to the writer's thread: many of them as a few lists of plain values, with all
 * answers' bodies in one piece. Thousands of objects with lists of headers in them cost more to pass on than to write down.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Send, SendState } from '../../shared/model/send.ts'
import { packBodies } from './packed-bodies.ts'

/** How far a job may have come: its sends up to this place may have gone. */
export interface Reached {
  readonly jobId: string
  readonly place: number
}

/** A send that is about to go. */
export interface BegunSend {
  readonly seq: number
  readonly at: number
  readonly registeredUrl: string | null
  /** Where it goes. */
  readonly target: string
}

/** What came of a send; `not-sent` where it could not be made. */
export interface EndedSend {
  readonly seq: number
  readonly state: Extract<SendState, 'settled' | 'not-sent'>
  /** When it went, and over which URL it was signed; null: as it was when it began, or not at all. */
  readonly startedAt: number | null
  readonly registeredUrl: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: Send['phases']
  readonly errorKind: Send['errorKind']
  readonly error: string | null
  /** Whether the endpoint acknowledged it; null if only our own receiver responded. */
  readonly passed: boolean | null
  readonly certificateProblem: string | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** What went out, and the headers of its delivery, which most of it is made of; null where nothing did. */
  readonly request: { readonly method: string; readonly headers: RawHeaders; readonly captured: RawHeaders } | null
}

interface SendsBatch {
  readonly reached: readonly Reached[]
  readonly begun: readonly BegunSend[]
  readonly ended: readonly EndedSend[]
  /** Those begun that have not gone, by seq: they wait again. */
  readonly released: readonly number[]
}

/** How a send ended. What follows its first four values is bound as it stands, in the order in which `record-sends.ts` names it. */
export type EndedRow = readonly [
  seq: number,
  state: EndedSend['state'],
  passed: 0 | 1 | null,
  /** Of its answer's body, in bytes. */
  size: number,
  ...values: readonly (string | number | null)[],
]

export interface PackedSends {
  readonly reached: readonly (readonly [place: number, jobId: string])[]
  readonly begun: readonly (readonly [at: number, registeredUrl: string | null, target: string, seq: number])[]
  readonly ended: readonly EndedRow[]
  readonly released: readonly number[]
  readonly bodies: Uint8Array<ArrayBuffer>
}

/** Gives headers as JSON. Answers of one endpoint mostly have the same ones: then the text is made once. */
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
    send.passed === null ? null : send.passed ? 1 : 0,
    send.body.length,
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

/** Its `bodies` are its own, and may be transferred. */
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

// Sent headers as they are stored. A replay's are the captured ones except for signature, timestamp and connection headers:
// only the difference is stored, a sixth of the whole. If more was changed, all of them are.

/** By place in the captured headers: the value in place of theirs; null where the header did not go out. */
type Change = readonly [place: number, value: string | null]

interface ButFor {
  readonly but: readonly Change[]
}

/** A text for `unpackSentHeaders`; `captured` are those of the send's delivery. */
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

/** The headers as they went out. `packed` is what `packSentHeaders` has made with the same captured ones. */
export function unpackSentHeaders(packed: string, captured: RawHeaders): RawHeaders {
  const kept = JSON.parse(packed) as RawHeaders | ButFor
  if (Array.isArray(kept)) return kept
  const changes = new Map(kept.but)
  return captured.flatMap(([name, value], place): RawHeaders => {
    const change = changes.get(place)
    return change === null ? [] : [[name, change ?? value]]
  })
}
