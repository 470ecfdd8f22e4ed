/** Checks attempts of a notification: gaps (section 6.4) and changes (section 5.2). */
import {
  deliveryRowSchema,
  type Delivery,
  type DeliveryRow,
  type RawHeaders,
} from '../../shared/model/delivery.ts'
import type { Attempt, AttemptCheck } from '../../shared/model/lifecycle.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  ATTEMPT_WAITS_MS,
  NO_RESPONSE_IN_TIME,
} from '../../shared/service/limits.ts'
import { perRequestCause } from './request-headers.ts'
import { spanText } from '../../shared/text/time-text.ts'

const SIGNATURE = /-signature$/i
const TIMESTAMP = /-timestamp$/i
const ATTEMPT_NUMBER = /-attempt-number$/i
const expectedToChange = [SIGNATURE, TIMESTAMP, ATTEMPT_NUMBER]
/** Tolerance in milliseconds for network time and the sender's clock. */
const TOLERANCE_MS = 10_000

/** Response time in milliseconds from which the sender gave up; it counts from before ours. */
const GAVE_UP_MS = ACKNOWLEDGE_TIMEOUT_MS - 1_000

/** Describes the deliveries of one notification, oldest first. */
export function describeAttempts(
  deliveries: readonly Delivery[],
  isAcknowledged: (row: DeliveryRow) => boolean,
): Attempt[] {
  const first = deliveries[0]
  return deliveries.map((delivery, index): Attempt => {
    const before = deliveries[index - 1]
    const gapMs =
      before === undefined ? null : Date.parse(delivery.receivedAt) - Date.parse(before.receivedAt)
    const expectedGapMs =
      before === undefined || delivery.duplicateOf !== null ? null : expectedGap(before)
    return {
      row: deliveryRowSchema.parse(delivery),
      gapMs,
      expectedGapMs,
      message: `${gapSentence(delivery, gapMs, expectedGapMs)}${answerSentence(delivery, { isAcknowledged: isAcknowledged(delivery) })}`,
      checks: first === undefined || before === undefined ? [] : checksOf(first, before, delivery),
    }
  })
}

/** Returns the milliseconds that the spec prescribes after an attempt; null after the last. */
function expectedGap(before: Delivery): number | null {
  const wait = ATTEMPT_WAITS_MS[before.attempt - 1]
  if (wait === undefined) return null
  return Math.min(before.answer.ms ?? 0, ACKNOWLEDGE_TIMEOUT_MS) + wait
}

function gapSentence(delivery: Delivery, gap: number | null, expected: number | null): string {
  if (gap === null) return ''
  if (delivery.duplicateOf !== null)
    return `Sent again after ${spanText(gap)}, although the previous attempt was acknowledged. `
  if (expected === null)
    return `Sent again after ${spanText(gap)}, beyond the three attempts in the spec. `
  if (Math.abs(gap - expected) <= TOLERANCE_MS)
    return `Retried after ${spanText(gap)}, as expected. `
  const why = gap < expected ? 'earlier than' : 'later than'
  const clock = gap < expected ? ' (the sandbox clock runs fast, or it was sent manually)' : ''
  return `Retried after ${spanText(gap)}, ${why} the expected ${spanText(expected)}${clock}. `
}

function answerSentence(
  { answer: { status, ms }, attempt, verdict }: Delivery,
  { isAcknowledged }: { readonly isAcknowledged: boolean },
): string {
  const waitMs = ATTEMPT_WAITS_MS[attempt - 1]
  const outlook =
    waitMs === undefined
      ? 'This was the last attempt.'
      : `The next attempt follows after ${spanText(waitMs)}.`
  if (isAcknowledged)
    return verdict === 'valid'
      ? 'Acknowledged. No retry expected.'
      : `Recorded only: Countersign returned ${status} by its response rule, whatever the signature. No retry expected.`
  if (status === null && ms !== null && ms >= GAVE_UP_MS)
    return `${labelOf({ word: NO_RESPONSE_IN_TIME })}: failed. ${outlook}`
  if (status === null) return `The connection was dropped without a response: failed. ${outlook}`
  if (ms !== null && ms > ACKNOWLEDGE_TIMEOUT_MS)
    return `Responded ${status} after ${spanText(ms)}, over the limit of 20 s: failed. ${outlook}`
  return `Responded ${status}: failed. ${outlook}`
}

function valuesOf(headers: RawHeaders, pattern: RegExp): string[] {
  return headers.filter(([name]) => pattern.test(name)).map(([, value]) => value)
}

function checksOf(first: Delivery, before: Delivery, delivery: Delivery): AttemptCheck[] {
  const differs = (pattern: RegExp) =>
    valuesOf(before.headers, pattern).join('\n') !== valuesOf(delivery.headers, pattern).join('\n')
  const isSigned = valuesOf(delivery.headers, SIGNATURE).length > 0
  const changed = otherHeaders(first.headers, delivery.headers).map((name) => ({
    name,
    cause: perRequestCause(name),
  }))
  const others = changed.filter(({ cause }) => cause === undefined).map(({ name }) => name)
  const perRequest = changed.flatMap(({ name, cause }) =>
    cause === undefined ? [] : `${name} (${cause})`,
  )
  return [
    ...(isSigned
      ? [
          check({
            what: 'signature',
            must: 'differ',
            holds: differs(SIGNATURE),
            passMessage: 'New signature.',
            failMessage: 'Same signature as the previous attempt. Retries must be re-signed.',
          }),
          check({
            what: 'timestamp',
            must: 'differ',
            holds: differs(TIMESTAMP),
            passMessage: 'New timestamp.',
            failMessage: 'Same timestamp as the previous attempt. Retries need a new one.',
          }),
        ]
      : []),
    check({
      what: 'body',
      must: 'stay',
      holds: delivery.bodySha256 === first.bodySha256,
      passMessage: 'Body unchanged, byte for byte.',
      failMessage: 'The body changed, although both attempts have the same message id.',
    }),
    check({
      what: 'url',
      must: 'stay',
      holds: delivery.method === first.method && delivery.path === first.path,
      passMessage: 'URL unchanged.',
      failMessage: `Sent to ${delivery.method ?? ''} ${delivery.path ?? ''}; the first attempt to ${first.method ?? ''} ${first.path ?? ''}.`,
    }),
    check({
      what: 'headers',
      must: 'stay',
      holds: others.length === 0,
      passMessage:
        perRequest.length === 0
          ? 'All other headers unchanged.'
          : `Other headers unchanged. Different in each request: ${perRequest.join(', ')}.`,
      failMessage: `Other headers differ: ${others.join(', ')}.`,
    }),
    ...attemptNumber(before, delivery),
  ]
}

interface CheckSeed extends Omit<AttemptCheck, 'message'> {
  readonly passMessage: string
  readonly failMessage: string
}

const check = ({ passMessage, failMessage, ...rest }: CheckSeed): AttemptCheck => ({
  ...rest,
  message: rest.holds ? passMessage : failMessage,
})

function otherHeaders(first: RawHeaders, present: RawHeaders): string[] {
  const [left, right] = [first, present].map((headers) =>
    Map.groupBy(
      headers.filter(([name]) => !expectedToChange.some((pattern) => pattern.test(name))),
      ([name]) => name.toLowerCase(),
    ),
  )
  const valuesIn = (headers: typeof left, name: string) =>
    (headers?.get(name) ?? []).map(([, value]) => value).join('\n')
  return [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].filter(
    (name) => valuesIn(left, name) !== valuesIn(right, name),
  )
}

/** Checks the attempt number, a header that isn't in the spec. */
function attemptNumber(before: Delivery, delivery: Delivery): AttemptCheck[] {
  const [one, two] = [
    valuesOf(before.headers, ATTEMPT_NUMBER)[0],
    valuesOf(delivery.headers, ATTEMPT_NUMBER)[0],
  ]
  if (one === undefined || two === undefined) return []
  return [
    check({
      what: 'attempt-number',
      must: 'differ',
      holds: Number(two) === Number(one) + 1,
      passMessage: `Attempt header: ${one}, then ${two}.`,
      failMessage: `The attempt header changed from ${one} to ${two}, which isn't the next number.`,
    }),
  ]
}
