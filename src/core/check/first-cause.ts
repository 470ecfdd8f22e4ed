/**
 * Finds out why an endpoint doesn't accept the first delivery. One mistake can hide another: a handler that hashes once and crashes
 * on `offer: null` returns 401 for a valid delivery and 500 for one hashed once. So the search continues from each mistake that it
 * proves, with a delivery that avoids it.
 */
import type { CheckExchange, CheckResult } from '../../shared/model/check.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { PayloadChange } from './payload-changes.ts'
import type { Bench, CheckSending } from './requests.ts'
import { isAboutPayload, isCheckAcknowledged, UNSTEADY } from './judge.ts'
import {
  changedSuspect,
  filledPayloads,
  otherEvents,
  validatedPayloads,
} from './payload-suspects.ts'
import { exchangeStatus } from './response-words.ts'
import { signatureEvidence } from './signature-evidence.ts'
import { likelyMethods, otherHeaders, rareMethods, units } from './signature-suspects.ts'
import {
  isFurther,
  type AnsweredSuspect,
  type SuspectGroup,
  type TrialDelivery,
} from './suspect.ts'

/**
 * Whether each request of a proof is a suspect; the others are controls. A handler that alternates its responses can't match this
 * order.
 */
const PROOFS = [false, false, true, false, true, true, false, true]

/** In the order in which an endpoint runs into them. */
const groups: readonly SuspectGroup[] = [
  units,
  likelyMethods,
  otherHeaders,
  filledPayloads,
  validatedPayloads,
  otherEvents,
  rareMethods,
]

/** Returns how many requests the search sends at most. It varies the signature and the payload twice. */
export function mostCauseRequests(bench: Bench): number {
  const counts = groups.map(({ most, isLong }) => (isLong === true ? 1 : 2) * most(bench))
  return 3 + counts.reduce((sum, count) => sum + count) + 3 * PROOFS.length
}

/** Returns values with which every delivery gets as far; undefined if a field has to be absent, or is null otherwise. */
function literalsOf(changes: readonly PayloadChange[]): Literals | undefined {
  return changes.length === 0 ||
    changes.some(({ before, value }) => before !== 'other' || value === undefined)
    ? undefined
    : Object.fromEntries(changes.map(({ path, value }) => [path, JSON.stringify(value)]))
}

/** `first` is the endpoint's response to the first delivery, which it doesn't acknowledge. */
export async function findFirstCause(
  { bench, send, turn }: CheckSending,
  first: CheckExchange,
): Promise<Pick<CheckResult, 'findings' | 'accepted' | 'set' | 'exchanges'>> {
  const { base } = bench.payloads
  const valid: TrialDelivery = {
    label: 'a valid delivery again',
    body: (purpose) => bench.plain(`cause, ${purpose}`),
    sign: bench.request,
  }
  /** The responses to wrongly signed deliveries. */
  let wrong: readonly CheckExchange[] = []
  const isAccepted = ({ got }: CheckExchange) => isCheckAcknowledged(got, bench.settings.ack)

  /** Null if the check was cancelled or the endpoint doesn't respond. */
  async function ask({ label, body, sign }: TrialDelivery, purpose: string) {
    await turn(1)
    const exchange = await send({ ...sign(body(purpose)), label })
    return exchange === null || exchange.got.status === null ? null : exchange
  }

  /** Sends suspects and controls in an order that chance is unlikely to match. Null if the endpoint doesn't respond. */
  async function prove(
    suspect: AnsweredSuspect,
    control: TrialDelivery,
    before: CheckExchange,
  ): Promise<AnsweredSuspect | null> {
    for (const [index, isSuspect] of PROOFS.entries()) {
      const delivery = isSuspect ? suspect.delivery : control
      const exchange = await ask(delivery, `${suspect.finding.cause}, proof ${index}`)
      if (exchange === null) return null
      if (exchangeStatus(exchange) !== exchangeStatus(isSuspect ? suspect.exchange : before))
        return { finding: UNSTEADY, delivery, exchange }
    }
    return suspect
  }

  /** Leaves out each change of the payload without which the delivery gets as far. */
  async function narrow(
    picked: AnsweredSuspect,
    control: TrialDelivery,
    before: CheckExchange,
  ): Promise<AnsweredSuspect> {
    let least = picked
    for (const [place, change] of (picked.changes ?? []).entries()) {
      const fewer = (least.changes ?? []).filter((each) => each !== change)
      if (fewer.length === 0) break
      const suspect = changedSuspect(control, fewer)
      const exchange = await ask(suspect.delivery, `narrowed ${place}`)
      if (exchange !== null && isFurther(exchange, exchangeStatus(before)))
        least = { ...suspect, exchange }
    }
    return least
  }

  /** What the endpoint runs into from here on. */
  async function search(
    control: TrialDelivery,
    before: CheckExchange,
    left: readonly SuspectGroup[],
  ): Promise<readonly AnsweredSuspect[]> {
    const status = exchangeStatus(before)
    for (const group of status < 400 ? [] : left) {
      const others = wrong.filter((exchange) => exchangeStatus(exchange) !== status)
      const rejected = {
        control,
        exchange: before,
        isSignatureAccepted: others.length > wrong.length / 2,
      }
      const all: AnsweredSuspect[] = []
      for (const [place, suspect] of group.suspects(bench, rejected).entries()) {
        const exchange = await ask(suspect.delivery, `${suspect.finding.cause} ${place}`)
        if (exchange === null) return []
        all.push({ ...suspect, exchange })
        if (group.isLong === true && group.pick(all, status) !== undefined) break
      }
      if (group === likelyMethods) wrong = all.map(({ exchange }) => exchange)
      const picked = group.pick(all, status)
      if (picked === undefined) continue
      const found = await prove(await narrow(picked, control, before), control, before)
      if (found === null) continue
      const rest = left.filter((each) => each !== group)
      return found.finding === UNSTEADY
        ? [found]
        : [found, ...(await search(found.delivery, found.exchange, rest))]
    }
    return []
  }

  /** The events that the endpoint accepts, so that the other cases can send one. */
  async function acceptedEvents(rejected: CheckExchange): Promise<readonly ShownEventType[]> {
    const accepted: ShownEventType[] = []
    const suspects = otherEvents.suspects(bench, {
      control: valid,
      exchange: rejected,
      isSignatureAccepted: true,
    })
    for (const { delivery, event } of suspects) {
      const exchange = await ask(delivery, 'accepted')
      if (exchange === null) break
      if (event !== undefined && isAccepted(exchange)) accepted.push(event)
    }
    return accepted
  }

  const again = await ask(valid, 'again')
  if (again === null) return { exchanges: [first] }
  const isSteady =
    Math.trunc(exchangeStatus(again) / 100) === Math.trunc(exchangeStatus(first) / 100)
  const found: readonly Omit<AnsweredSuspect, 'delivery'>[] = isSteady
    ? await search(valid, first, groups)
    : [{ finding: UNSTEADY, exchange: again }]
  const last = found.at(-1)?.exchange ?? again
  const askUnsigned = () =>
    ask({ ...valid, label: 'without a signature', sign: bench.unsigned }, 'unsigned')
  const proof =
    isSteady && exchangeStatus(last) >= 400 && wrong.length > 0
      ? await signatureEvidence(last, wrong, askUnsigned)
      : null
  const [cause] = found
  const set =
    cause !== undefined && isAccepted(cause.exchange) ? literalsOf(cause.changes ?? []) : undefined
  const accepted =
    set !== undefined || (!isSteady && isAccepted(again))
      ? [base]
      : cause !== undefined && isAboutPayload(cause.finding.cause)
        ? await acceptedEvents(first)
        : []
  return {
    set,
    findings: [...found.map(({ finding }) => finding), ...(proof === null ? [] : [proof])],
    accepted: accepted.find(isTransactionEvent) ?? accepted[0],
    exchanges: [first, ...found.map(({ exchange }) => exchange)],
  }
}
