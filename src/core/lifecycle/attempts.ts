/**
 * The attempts of one notification held against the interface: the gaps that section 6.4 makes of each answer, and what a
 * retried delivery must change (section 5.2) and must leave as it was. Pure.
 */
import { deliveryRowSchema, type Delivery, type DeliveryRow, type RawHeaders } from '../../shared/model/delivery.ts'
import type { Attempt, AttemptCheck } from '../../shared/model/lifecycle.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, ATTEMPT_WAITS_MS } from '../../shared/service/limits.ts'
import { spanText } from './spans.ts'

/** Header names end so, whatever the service's own name before it is. */
const SIGNATURE = /-signature$/i
const TIMESTAMP = /-timestamp$/i
const ATTEMPT_NUMBER = /-attempt-number$/i
/** A gap this much beside the expected one is as expected: the network, and the sender's own clock. */
const TOLERANCE_MS = 10_000

/** Our time runs from the last byte of the request, the sender's from before the first: what it waits is a little more. */
const GAVE_UP_MS = ACKNOWLEDGE_TIMEOUT_MS - 1_000

/** Describes the deliveries of one notification, oldest first. */
export function describeAttempts(deliveries: readonly Delivery[], isAcknowledged: (row: DeliveryRow) => boolean): Attempt[] {
  const first = deliveries[0]
  return deliveries.map((delivery, index): Attempt => {
    const before = deliveries[index - 1]
    const gapMs = before === undefined ? null : Date.parse(delivery.receivedAt) - Date.parse(before.receivedAt)
    const expectedGapMs = before === undefined || delivery.duplicateOf !== null ? null : expectedGap(before)
    return {
      row: deliveryRowSchema.parse(delivery),
      gapMs,
      expectedGapMs,
      message: `${gapSentence(delivery, gapMs, expectedGapMs)}${answerSentence(delivery, isAcknowledged(delivery))}`,
      checks: first === undefined || before === undefined ? [] : checksOf(first, before, delivery),
    }
  })
}

/** Between the starts of two attempts: until the first failed, and the wait after it. */
function expectedGap(before: Delivery): number | null {
  const wait = ATTEMPT_WAITS_MS[before.attempt - 1]
  if (wait === undefined) return null
  return Math.min(before.answer.ms ?? 0, ACKNOWLEDGE_TIMEOUT_MS) + wait
}

function gapSentence(delivery: Delivery, gap: number | null, expected: number | null): string {
  if (gap === null) return ''
  if (delivery.duplicateOf !== null) return `Sent again ${spanText(gap)} later, although the one before had been acknowledged. `
  if (expected === null) return `${spanText(gap)} after the one before, beyond the three attempts that the interface has. `
  if (Math.abs(gap - expected) <= TOLERANCE_MS) return `${spanText(gap)} after the one before, as expected. `
  const why = gap < expected ? 'sooner than' : 'later than'
  const clock = gap < expected ? ' (the sandbox’s clock runs fast, or it was sent by hand)' : ''
  return `${spanText(gap)} after the one before, ${why} the ${spanText(expected)} expected${clock}. `
}

function answerSentence({ answer: { status, ms }, attempt }: Delivery, acknowledged: boolean): string {
  const next = ATTEMPT_WAITS_MS[attempt - 1]
  const then = next === undefined ? 'It was the last attempt.' : `The next attempt follows ${spanText(next)} later.`
  if (acknowledged) return 'Acknowledged: nothing follows.'
  if (status === null && ms !== null && ms >= GAVE_UP_MS)
    return `The sender gave up after ${spanText(ms)}, before an answer: a failure. ${then}`
  if (status === null) return `The connection was dropped without an answer: a failure. ${then}`
  if (ms !== null && ms > ACKNOWLEDGE_TIMEOUT_MS)
    return `Answered ${status}, but only after ${spanText(ms)}: a failure, since 20 s had passed. ${then}`
  return `Answered ${status}: a failure. ${then}`
}

function valuesOf(headers: RawHeaders, pattern: RegExp): string[] {
  return headers.filter(([name]) => pattern.test(name)).map(([, value]) => value)
}

function checksOf(first: Delivery, before: Delivery, delivery: Delivery): AttemptCheck[] {
  const differs = (pattern: RegExp) =>
    valuesOf(before.headers, pattern).join('\n') !== valuesOf(delivery.headers, pattern).join('\n')
  const check = (
    what: AttemptCheck['what'],
    must: AttemptCheck['must'],
    holds: boolean,
    yes: string,
    no: string,
  ): AttemptCheck => ({
    what,
    must,
    holds,
    message: holds ? yes : no,
  })
  const isSigned = valuesOf(delivery.headers, SIGNATURE).length > 0
  const others = otherHeaders(first.headers, delivery.headers)
  return [
    ...(isSigned
      ? [
          check(
            'signature',
            'differ',
            differs(SIGNATURE),
            'The signature is a new one.',
            'The signature is that of the attempt before: a retried delivery gets a new one.',
          ),
          check(
            'timestamp',
            'differ',
            differs(TIMESTAMP),
            'The timestamp is a new one.',
            'The timestamp is that of the attempt before: a retried delivery gets a new one.',
          ),
        ]
      : []),
    check(
      'body',
      'stay',
      delivery.bodySha256 === first.bodySha256,
      'The body is the same, byte for byte.',
      'The body is another one, although the sender gives both the same message id.',
    ),
    check(
      'url',
      'stay',
      delivery.method === first.method && delivery.path === first.path,
      'The URL is the same.',
      `It went to ${delivery.method ?? ''} ${delivery.path ?? ''}, and the first to ${first.method ?? ''} ${first.path ?? ''}.`,
    ),
    check(
      'headers',
      'stay',
      others.length === 0,
      'All other headers are the same.',
      `Other headers differ: ${others.join(', ')}.`,
    ),
    ...attemptNumber(before, delivery),
  ]
}

/** Names of the headers that have no reason to differ, and do. */
function otherHeaders(first: RawHeaders, present: RawHeaders): string[] {
  const told = (headers: RawHeaders) =>
    Map.groupBy(
      headers.filter(([name]) => ![SIGNATURE, TIMESTAMP, ATTEMPT_NUMBER].some((pattern) => pattern.test(name))),
      ([name]) => name.toLowerCase(),
    )
  const [left, right] = [told(first), told(present)]
  const valuesIn = (all: typeof left, name: string) => (all.get(name) ?? []).map(([, value]) => value).join('\n')
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => valuesIn(left, name) !== valuesIn(right, name))
}

/** Some services number their attempts in a header that the interface does not show. */
function attemptNumber(before: Delivery, delivery: Delivery): AttemptCheck[] {
  const [one, two] = [valuesOf(before.headers, ATTEMPT_NUMBER)[0], valuesOf(delivery.headers, ATTEMPT_NUMBER)[0]]
  if (one === undefined || two === undefined) return []
  const holds = Number(two) === Number(one) + 1
  const message = holds
    ? `Its header counts on: ${one}, ${two}.`
    : `Its header says ${two} after ${one}, which is not the next number.`
  return [{ what: 'attempt-number', must: 'differ', holds, message }]
}
