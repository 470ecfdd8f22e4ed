/**
 * Handles a request between its last byte and its response: verifies the signature, stores the delivery, and only then decides the
 * response. Nothing here waits for a search.
 */
import { hash } from 'node:crypto'
import type { DeliveryFlow, RawHeaders } from '../../shared/model/delivery.ts'
import { type AnsweringRule, PLAIN_ANSWER } from '../../shared/model/hook.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub, ReceivedDelivery } from '../base/event-hub.ts'
import {
  belongingTo,
  type Judgement,
  type RegisteredHook,
  type Registry,
} from '../hooks/registry.ts'
import type { Arrivals, OwnSends } from '../outgoing/own-sends.ts'
import type { CapturedDelivery } from '../store/delivery-columns.ts'
import type { SentResponse } from '../store/enrich.ts'
import type { Store } from '../store/store.ts'
import type { ReceivedRequest } from './request.ts'

interface IntakeDeps extends Pick<Deps, 'ids' | 'log'> {
  readonly registry: Registry
  readonly store: Pick<Store, 'capture' | 'answered'>
  readonly hub: Pick<EventHub, 'emit'>
  readonly ownSends: Pick<OwnSends, 'replayOf'>
  readonly arrivals: Pick<Arrivals, 'arrived'>
  readonly probes: Pick<Probes, 'answerTo'>
  /** The forward target that responds instead of the rule; null if there is none. */
  answerer(): Answerer | null
  isPaused(): boolean
  /** The flow run that uses this hook; null if none does. */
  flowRunOf(hookId: string): Pick<DeliveryFlow, 'flow' | 'run'> | null
}

// What a response is, and what of it is stored.

export interface Decision {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
  readonly delayMs: number
  /** Closes the connection instead. */
  readonly drop: boolean
}

/** The response, and a callback for its result. `ms` runs from the request's last byte to the response's. */
export interface Answering extends Decision {
  onAnswered(status: number | null, ms: number): void
}

/** Resolves with the response that replaces the rule's; null to keep the rule's. */
export type Answerer = (
  delivery: Pick<ReceivedDelivery, 'seq' | 'event' | 'hookId'>,
  body: Uint8Array,
) => Promise<Decision | null>

/** An immediate, empty 200. */
export const PLAIN_DECISION: Decision = { ...PLAIN_ANSWER, headers: [] }

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

// A hook's response rule. The first attempts of each notification can fail on purpose.

/** How many notifications are counted; the oldest are forgotten, and start again if they return. */
const MOST_COUNTED = 10_000

function createRuling() {
  /** One object per rule: its response is stored once. */
  const decisions = new WeakMap<AnsweringRule, Decision>()
  const failed = new Map<number, number>()

  /** Whether this attempt is one of the first that should fail; if so, it is counted. */
  function isToFail(failFirst: number, notification: number | null): boolean {
    if (failFirst === 0 || notification === null) return false
    const before = failed.get(notification) ?? 0
    if (before >= failFirst) return false
    failed.delete(notification)
    failed.set(notification, before + 1)
    if (failed.size > MOST_COUNTED) failed.delete(failed.keys().next().value ?? notification)
    return true
  }

  function decisionOf(rule: AnsweringRule): Decision {
    const { status, headers, body, delayMs, drop } = rule
    const decision = decisions.get(rule) ?? {
      status,
      headers: Object.entries(headers),
      body,
      delayMs,
      drop,
    }
    decisions.set(rule, decision)
    return decision
  }

  return {
    /** Decides for one delivery of a hook (null: no hook); `notification` is the key that its attempts share. */
    decide(hook: RegisteredHook | null, notification: number | null): Decision {
      if (hook === null) return PLAIN_DECISION
      const { failFirst, failStatus, delayMs } = hook.answering
      if (isToFail(failFirst, notification))
        return { ...PLAIN_DECISION, status: failStatus, delayMs }
      return decisionOf(hook.answering)
    },
  }
}

/** Nothing was stored, so the sender must try again. */
const UNAVAILABLE: Answering = {
  ...PLAIN_DECISION,
  status: 503,
  headers: [['Retry-After', '5']],
  onAnswered: () => undefined,
}

function shortHash(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
}

/**
 * 48 bits of a hash over what makes two deliveries the same notification: the sender's own name for it (then negative), or hook,
 * verdict and body. Null if nothing can.
 */
function notificationKeyOf(judgement: Judgement, bodySha256: string): number | null {
  const { hook, messageId, verdict } = judgement
  const hookId = hook?.id ?? ''
  if (messageId !== null) return -shortHash(`message ${hookId} ${verdict} ${messageId}`)
  return hook === null ? null : shortHash(`body ${hookId} ${verdict} ${bodySha256}`)
}

const UNSIGNED: Judgement = {
  verdict: 'unsigned',
  freshness: 'missing',
  hook: null,
  timestamp: null,
  signature: null,
  messageId: null,
}

/** Creates the receiver's `take`. It never rejects. */
export function createIntake(deps: IntakeDeps): (request: ReceivedRequest) => Promise<Answering> {
  const { hub, registry, store } = deps
  const ruling = createRuling()

  async function judge(request: ReceivedRequest): Promise<Judgement> {
    const { headers, body, receivedAt } = request
    // Without a request line there is nothing to verify; half a body can't match, but its headers are still useful.
    if (request.path === null) return UNSIGNED
    if (body.overflow !== null) return body.overflow.finish(headers, receivedAt)
    return registry.judge(request.path, headers, body.kept, receivedAt)
  }

  return async (request) => {
    // Also while capture is paused.
    const probed = deps.probes.answerTo(request)
    if (probed !== null) return probed
    if (deps.isPaused()) return UNAVAILABLE
    const judgement = await judge(request)
    const { hook, verdict, freshness } = judgement
    const { body } = request
    const bodySha256 = body.sha256 === '' ? hash('sha256', body.kept, 'hex') : body.sha256
    const id = deps.ids.next()
    const event = verdict === 'valid' ? (hook?.event ?? null) : null
    const seen = { signature: judgement.signature, timestamp: judgement.timestamp, bodySha256 }
    const replayOf = deps.ownSends.replayOf(seen)
    // Our own sends aren't attempts of the service, and don't count as such.
    const notificationKey =
      request.malformed === null && replayOf === null
        ? notificationKeyOf(judgement, bodySha256)
        : null
    const captured: Omit<CapturedDelivery, 'seq'> = {
      id,
      receivedAt: request.receivedAt,
      method: request.method,
      path: request.path,
      malformed: request.malformed,
      httpVersion: request.httpVersion,
      headers: JSON.stringify(request.headers),
      trailers: request.trailers.length === 0 ? null : JSON.stringify(request.trailers),
      bodySize: body.size,
      bodySha256,
      truncated: body.overflow !== null,
      remote: request.remote,
      event,
      eventSource: event === null ? null : 'hook',
      ...belongingTo(hook),
      verdict,
      freshness,
      notificationKey,
      replayOf,
    }
    // Stored with the delivery: a list that hides flow runs never shows it.
    const flowRun = hook === null ? null : deps.flowRunOf(hook.id)
    let seq: number
    try {
      seq = await store.capture({
        row: flowRun === null ? captured : { ...captured, flowRun },
        body: body.kept,
      })
    } catch (error) {
      deps.log.warn("A delivery couldn't be stored and got the response 503.", {
        reason: (error as Error).message,
      })
      return UNAVAILABLE
    }
    deps.arrivals.arrived(seen, id)
    const delivery: ReceivedDelivery = {
      ...captured,
      seq,
      receivedAt: new Date(request.receivedAt).toISOString(),
    }
    hub.emit('delivery.stored', delivery)
    const ruled = ruling.decide(hook, notificationKey)
    // Our own sends and incomplete requests are never forwarded.
    const answerer =
      replayOf === null && request.malformed === null && body.overflow === null
        ? deps.answerer()
        : null
    const accepted = (await answerer?.(delivery, body.kept)) ?? ruled
    const decided =
      body.overflow === null ? accepted : { ...accepted, status: 413, headers: [], body: '' }
    return {
      ...decided,
      onAnswered: (status, ms) => {
        store.answered({ seq, status, ms, response: responseToKeep(decided, status) })
        hub.emit('delivery.answered', { delivery, status, ms })
      },
    }
  }
}

// Probes: requests that Countersign sends to its own public URL, with a path that works once. The receiver responds itself and
// stores nothing. No one else can send one, because the path can't be guessed and is forgotten after its first use.

interface ProbeArrival {
  readonly method: string | null
  readonly path: string
  readonly body: Uint8Array
  /** Values of the header with this lower-case name. */
  header(name: string): readonly string[]
}

export type Probes = ReturnType<typeof createProbes>
export type Probe = ReturnType<Probes['expect']>

const PLACE = '/.countersign/'
const NAME_BYTES = 16

export function createProbes(randomBytes: (count: number) => Uint8Array) {
  const expected = new Map<string, { answer: string; arrived: ProbeArrival | null }>()
  const name = () => Buffer.from(randomBytes(NAME_BYTES)).toString('hex')
  return {
    expect() {
      const own = name()
      const entry: { answer: string; arrived: ProbeArrival | null } = {
        answer: name(),
        arrived: null,
      }
      expected.set(own, entry)
      return {
        /** The last part of its path. */
        path: `${PLACE}${own}`,
        /** The receiver's response, which no one else knows. */
        answer: entry.answer,
        /** The probe as it arrived; null if it hasn't. */
        arrived: () => entry.arrived,
        forget: () => void expected.delete(own),
      }
    },
    /** The response to a request that is a probe; null for all others. */
    answerTo({ path, method, headers, body }: ReceivedRequest): Answering | null {
      // Called for each request. Checks nothing while no probe is expected.
      if (expected.size === 0 || path === null) return null
      const at = path.lastIndexOf(PLACE)
      if (at === -1) return null
      const own = path.slice(at + PLACE.length, at + PLACE.length + NAME_BYTES * 2)
      const entry = expected.get(own)
      if (entry === undefined) return null
      expected.delete(own)
      entry.arrived = {
        method,
        path,
        body: body.kept,
        header: (wanted) =>
          headers.flatMap(([header, value]) => (header.toLowerCase() === wanted ? [value] : [])),
      }
      return {
        ...PLAIN_DECISION,
        headers: [['Content-Type', 'text/plain']],
        body: entry.answer,
        onAnswered: () => undefined,
      }
    },
  }
}
