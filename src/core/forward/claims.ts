/**
 * Deliveries whose answer is the handler's: the service waits for it, so that each ends in time, with the handler's answer or with
 * one that says why there is none. Nothing here outlives the program: whoever got no answer sends again.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { isOfConnection } from '../../shared/http.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'
import type { Decision } from '../receiver/ruling.ts'

/** The service waits 20 s (section 6.4): a second is left for the way back, in milliseconds. */
export const ANSWER_WITHIN_MS = 19_000

/** A delivery that waits for the answer to its send. */
export interface Claim {
  /** Hears that the send goes; gives how long the handler may take, in milliseconds. */
  begin(): number
  /** Gives the service what the handler answered. */
  settle(result: SendResult): void
  /** Answers 502, with the reason. */
  fail(reason: string): void
}

export interface Claims {
  /** Resolves with what the service is to be answered, in time whatever happens. */
  make(targetId: string, deliverySeq: number): Promise<Decision>
  /** Null where nobody waits, or waits any longer. */
  get(targetId: string, deliverySeq: number): Claim | null
  /** Answers those that wait for their turn at a target, which will not come. */
  failAll(targetId: string, reason: string): void
  /** Answers all that wait: the program ends. */
  close(): void
}

/** An answer of our own, in a sentence: the handler gave none. */
function inPlace(status: number, reason: string): Decision {
  return {
    status,
    headers: [['Content-Type', 'text/plain; charset=utf-8']],
    body: `Countersign: ${reason}\n`,
    delayMs: 0,
    drop: false,
  }
}

/** The receiver says this itself, the same for every answer. */
const OWN_HEADER = 'x-content-type-options'

function passOn(headers: RawHeaders, isWhole: boolean): RawHeaders {
  return headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (isOfConnection(lower) || lower === OWN_HEADER || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return false
    return isWhole || !lower.startsWith('content-')
  })
}

/** What the service gets of a handler's answer; of one too long to be kept, all but its body, of which it reads nothing. */
function answerOf({ status, failure, headers, body, truncated }: SendResult): Decision {
  if (status === null || failure !== null) {
    const reason = failure?.message ?? "your handler didn't respond."
    return inPlace(failure?.kind === 'timeout' ? 504 : 502, reason)
  }
  return { status, headers: passOn(headers, !truncated), body: truncated ? '' : body, delayMs: 0, drop: false }
}

export function createClaims(clock: Clock): Claims {
  const waiting = new Map<string, { readonly claim: Claim; readonly answer: (decision: Decision) => void }>()
  /** Those whose sends have gone. */
  const begun = new Set<string>()
  return {
    make: (targetId, deliverySeq) =>
      new Promise((resolve) => {
        const key = `${targetId} ${deliverySeq}`
        const until = clock.monotonic() + ANSWER_WITHIN_MS
        const over = new AbortController()
        const answer = (decision: Decision) => {
          if (!waiting.delete(key)) return
          begun.delete(key)
          over.abort()
          resolve(decision)
        }
        waiting.set(key, {
          answer,
          claim: {
            begin: () => {
              begun.add(key)
              return until - clock.monotonic()
            },
            settle: (result) => {
              answer(answerOf(result))
            },
            fail: (reason) => {
              answer(inPlace(502, reason))
            },
          },
        })
        void clock.sleep(ANSWER_WITHIN_MS, over.signal).then(() => {
          answer(inPlace(504, `your handler didn't respond within ${ANSWER_WITHIN_MS / 1_000} s.`))
        })
      }),
    get: (targetId, deliverySeq) => waiting.get(`${targetId} ${deliverySeq}`)?.claim ?? null,
    failAll(targetId, reason) {
      for (const [key, { answer }] of waiting) if (key.startsWith(`${targetId} `) && !begun.has(key)) answer(inPlace(502, reason))
    },
    close() {
      for (const { answer } of waiting.values())
        answer(inPlace(503, "Countersign is stopping, and your handler hasn't responded yet."))
    },
  }
}
