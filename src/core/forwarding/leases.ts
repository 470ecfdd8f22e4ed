/** Leases: waits of the service, in memory, until a target's handler has responded. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { isOfConnection } from '../../shared/http.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'
import type { ResponseDecision } from '../receiver/responses.ts'

/**
 * Time for the handler in milliseconds: 20 s (section 6.4) less a second to return its response.
 */
const RESPOND_WITHIN_MS = 19_000

export const BAD_GATEWAY = 502
const STOPPING = 503
const GATEWAY_TIMEOUT = 504

export function substituteResponse(status: number, reason: string): ResponseDecision {
  return {
    status,
    headers: [['Content-Type', 'text/plain; charset=utf-8']],
    body: `Countersign: ${reason}\n`,
    delayMs: 0,
    drop: false,
  }
}

const RECEIVER_HEADER = 'x-content-type-options'

/** Returns the headers to pass on; without `content-` headers unless the body is whole. */
function forwardableHeaders(
  headers: RawHeaders,
  { isWhole }: { readonly isWhole: boolean },
): RawHeaders {
  // `Connection` names further headers of its connection (RFC 9110, section 7.6.1).
  const connectionHeaders = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((name) => name.trim()),
    )
  return headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (isOfConnection(lower) || connectionHeaders.includes(lower) || lower === RECEIVER_HEADER)
      return false
    // Node rejects other characters than tab and printable Latin-1, such as `€`.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return false
    return isWhole || !lower.startsWith('content-')
  })
}

/** Returns the handler's response; a sentence replaces a body over the limit. */
export function relayedResponse({
  status,
  failure,
  headers,
  body,
  truncated,
}: SendResult): ResponseDecision {
  if (status === null || failure !== null) {
    const reason = failure?.message ?? "your handler didn't respond."
    return substituteResponse(failure?.kind === 'timeout' ? GATEWAY_TIMEOUT : BAD_GATEWAY, reason)
  }
  const relayed = forwardableHeaders(headers, { isWhole: !truncated })
  if (!truncated) return { status, headers: relayed, body, delayMs: 0, drop: false }
  const cut = substituteResponse(
    status,
    `your handler's response body was cut: it is over the body limit (${body.length} bytes).`,
  )
  return { ...cut, headers: [...relayed, ...cut.headers] }
}

/** Wait of one delivery for its handler's response, within the service's time limit. */
export class Lease {
  readonly targetId: string
  readonly #clock: Clock
  readonly #until: number
  readonly #over = new AbortController()
  readonly #respond: (decision: ResponseDecision) => void
  #isSent = false

  constructor(targetId: string, clock: Clock, respond: (decision: ResponseDecision) => void) {
    this.targetId = targetId
    this.#clock = clock
    this.#until = clock.monotonic() + RESPOND_WITHIN_MS
    this.#respond = respond
    const seconds = RESPOND_WITHIN_MS / 1_000
    const late = substituteResponse(
      GATEWAY_TIMEOUT,
      `your handler didn't respond within ${seconds} s.`,
    )
    void clock.sleep(RESPOND_WITHIN_MS, this.#over.signal).then(() => this.respond(late))
  }

  get isSent(): boolean {
    return this.#isSent
  }

  /** Marks the delivery as sent; returns how many milliseconds the handler has left. */
  noteSent(): number {
    this.#isSent = true
    return this.#until - this.#clock.monotonic()
  }

  /** Responds, unless the service already has a response. */
  respond(decision: ResponseDecision): void {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    this.#respond(decision)
  }
}

export class Leases {
  readonly #clock: Clock
  readonly #leases = new Map<string, Lease>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Creates a lease; resolves with its response, always within 19 s. */
  create(targetId: string, deliverySeq: number): Promise<ResponseDecision> {
    return new Promise((resolve) => {
      const key = keyOf(targetId, deliverySeq)
      const lease: Lease = new Lease(targetId, this.#clock, (decision) => {
        if (this.#leases.get(key) === lease) this.#leases.delete(key)
        resolve(decision)
      })
      this.#leases.set(key, lease)
    })
  }

  /** Returns a delivery's lease; null if the service isn't waiting for it. */
  get(targetId: string, deliverySeq: number): Lease | null {
    return this.#leases.get(keyOf(targetId, deliverySeq)) ?? null
  }

  failAll(targetId: string, reason: string): void {
    for (const lease of this.#leases.values())
      if (lease.targetId === targetId && !lease.isSent)
        lease.respond(substituteResponse(BAD_GATEWAY, reason))
  }

  close(): void {
    for (const lease of this.#leases.values())
      lease.respond(
        substituteResponse(
          STOPPING,
          "Countersign is stopping, and your handler hasn't responded yet.",
        ),
      )
  }
}

function keyOf(targetId: string, deliverySeq: number): string {
  return `${targetId} ${deliverySeq}`
}
