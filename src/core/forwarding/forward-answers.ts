/** Decides whether a target responds to a stored delivery: the first whose filter finds it. */
import type { Query } from '../../shared/query/query.ts'
import { guessEvents } from '../../shared/service/payload.ts'
import { type Answerer, type Decision, PLAIN_DECISION } from '../receiver/intake.ts'
import type { RouteSearch, StoredTarget } from '../store/forward.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { isOfConnection } from '../../shared/http.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'

/** A larger body isn't parsed on this thread. The rule responds, and the delivery is forwarded afterwards. */
const EXAMINED_BYTES = 1_048_576

interface AnsweringDeps {
  readonly claims: Leases
  /** A target's filter; null if no delivery can match it. */
  routeOf(target: StoredTarget): Query | null
  /** Whether a hook's deliveries may go to a target. A live hook's need confirmation. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /**
   * Resolves with the first target whose route a stored delivery matches; null if there is none.
   */
  findRoute(search: RouteSearch): Promise<string | null>
  /** Queues a delivery for a target whose response the service waits for. */
  enqueue(target: StoredTarget, deliverySeq: number): Promise<void>
}

/** Creates the function that asks which target responds; null if none can. */
export function createAnswerer(
  targets: readonly StoredTarget[],
  deps: AnsweringDeps,
): Answerer | null {
  const answering = targets.filter(
    ({ settings, paused }) => settings.on && !paused && settings.answer !== 'rule',
  )
  if (answering.length === 0) return null

  return async ({ seq, event, hookId }, body) => {
    if (body.length > EXAMINED_BYTES) return null
    const routes = answering.flatMap((target) => {
      const query = deps.isAgreed(target, hookId) ? deps.routeOf(target) : null
      return query === null ? [] : [{ targetId: target.id, query }]
    })
    const first = await deps.findRoute({
      seq,
      events: event === null ? guessEvents(body) : [],
      routes,
    })
    const target = answering.find(({ id }) => id === first)
    if (target === undefined) return null
    if (target.settings.answer === 'at-once') return PLAIN_DECISION
    const answer = deps.claims.make(target.id, seq)
    deps.enqueue(target, seq).catch((error: unknown) => {
      deps.claims.get(target.id, seq)?.answer(inPlace(502, (error as Error).message))
    })
    return answer
  }
}

// Deliveries waiting for the handler's response. Each ends in time, with the handler's response or with our own that explains why
// it is missing. Nothing is stored: the service retries deliveries without a response.

/** The service waits 20 s (section 6.4), minus one second for the way back, in milliseconds. */
const ANSWER_WITHIN_MS = 19_000

export type Leases = ReturnType<typeof createLeases>
/** A delivery waiting for the response to its forward. */
export type Lease = NonNullable<ReturnType<Leases['get']>>

/** Our own response, in a sentence, if the handler doesn't respond. */
export function inPlace(status: number, reason: string): Decision {
  return {
    status,
    headers: [['Content-Type', 'text/plain; charset=utf-8']],
    body: `Countersign: ${reason}\n`,
    delayMs: 0,
    drop: false,
  }
}

/** The receiver adds this header to every response. */
const OWN_HEADER = 'x-content-type-options'

function passOn(headers: RawHeaders, isWhole: boolean): RawHeaders {
  // `Connection` names further headers of its connection (RFC 9110, section 7.6.1).
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((one) => one.trim()),
    )
  return headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (isOfConnection(lower) || named.includes(lower) || lower === OWN_HEADER) return false
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return false
    return isWhole || !lower.startsWith('content-')
  })
}

/** The handler's response for the service. A sentence replaces a body over the limit. */
export function answerOf({ status, failure, headers, body, truncated }: SendResult): Decision {
  if (status === null || failure !== null) {
    const reason = failure?.message ?? "your handler didn't respond."
    return inPlace(failure?.kind === 'timeout' ? 504 : 502, reason)
  }
  const passed = passOn(headers, !truncated)
  if (!truncated) return { status, headers: passed, body, delayMs: 0, drop: false }
  const cut = inPlace(
    status,
    `your handler's response body was cut: it is over the body limit (${body.length} bytes).`,
  )
  return { ...cut, headers: [...passed, ...cut.headers] }
}

export function createLeases(clock: Clock) {
  const keyOf = (targetId: string, deliverySeq: number) => `${targetId} ${deliverySeq}`

  function createClaim(targetId: string, key: string, respond: (decision: Decision) => void) {
    const until = clock.monotonic() + ANSWER_WITHIN_MS
    const over = new AbortController()
    const claim = {
      targetId,
      /** Whether its request was sent. */
      isBegun: false,
      /** Call when the request is sent. Returns how long the handler may take, in milliseconds. */
      begin() {
        claim.isBegun = true
        return until - clock.monotonic()
      },
      /** Responds to the service, unless it already has its response. */
      answer(decision: Decision) {
        if (!waiting.delete(key)) return
        over.abort()
        respond(decision)
      },
    }
    const late = inPlace(504, `your handler didn't respond within ${ANSWER_WITHIN_MS / 1_000} s.`)
    void clock.sleep(ANSWER_WITHIN_MS, over.signal).then(() => claim.answer(late))
    return claim
  }

  const waiting = new Map<string, ReturnType<typeof createClaim>>()
  return {
    /** Resolves in time with the response for the service, whatever happens. */
    make: (targetId: string, deliverySeq: number) =>
      new Promise<Decision>((resolve) => {
        const key = keyOf(targetId, deliverySeq)
        waiting.set(key, createClaim(targetId, key, resolve))
      }),
    /** Null if the service isn't or is no longer waiting. */
    get: (targetId: string, deliverySeq: number) =>
      waiting.get(keyOf(targetId, deliverySeq)) ?? null,
    /** Responds to deliveries queued at a target that won't be sent. */
    failAll(targetId: string, reason: string): void {
      for (const claim of waiting.values())
        if (claim.targetId === targetId && !claim.isBegun) claim.answer(inPlace(502, reason))
    },
    /** Responds to all waiting deliveries, because Countersign stops. */
    close(): void {
      for (const { answer } of waiting.values())
        answer(inPlace(503, "Countersign is stopping, and your handler hasn't responded yet."))
    },
  }
}
