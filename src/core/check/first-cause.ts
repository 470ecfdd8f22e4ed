/**
 * Finds out why an endpoint doesn't accept the first delivery. One mistake can hide another: a handler that hashes once and crashes
 * on `offer: null` returns 401 for a valid delivery and 500 for one hashed once. So the search continues from each mistake that it
 * proves, with a delivery that avoids it.
 */
import type { CheckExchange, CheckFinding, CheckResult } from '../../shared/model/check.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import { changedPath, type PayloadChange } from './payload-changes.ts'
import type { Bench, CheckSending } from './requests.ts'
import { isAboutPayload, isCheckAcknowledged, UNSTEADY } from './judge.ts'
import {
  changedSuspect,
  eventSuspects,
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

/**
 * Returns how many requests the search sends at most. It varies the signature and the payload
 * twice.
 */
export function mostCauseRequests(bench: Bench): number {
  const counts = groups.map(({ most, isLong }) => (isLong === true ? 1 : 2) * most(bench))
  return 3 + counts.reduce((sum, count) => sum + count) + 3 * PROOFS.length
}

/**
 * Returns the values of changes as literals, by path; undefined if a field is removed, or has to be
 * null or absent elsewhere.
 */
function literalsOf(changes: readonly PayloadChange[]): Literals | undefined {
  const isValue = changes.every(({ before, value }) => before === 'other' && value !== undefined)
  return changes.length > 0 && isValue
    ? Object.fromEntries(
        changes.map((change) => [changedPath(change), JSON.stringify(change.value)]),
      )
    : undefined
}

/** A search with its deliveries, and the responses that it has to remember. */
class CauseSearch {
  readonly #sending: CheckSending
  /** A delivery like the first one. */
  readonly valid: TrialDelivery
  /** The responses to wrongly signed deliveries. */
  #wrong: readonly CheckExchange[] = []

  constructor(sending: CheckSending) {
    const { bench } = sending
    this.#sending = sending
    this.valid = {
      label: 'a valid delivery again',
      body: (purpose) => bench.plain(`cause, ${purpose}`),
      sign: bench.request,
    }
  }

  isAccepted({ got }: CheckExchange): boolean {
    return isCheckAcknowledged(got, this.#sending.bench.settings.ack)
  }

  /**
   * Sends a delivery with an id of this purpose. Null if the check was cancelled or the endpoint
   * doesn't respond.
   */
  async ask({ label, body, sign }: TrialDelivery, purpose: string): Promise<CheckExchange | null> {
    await this.#sending.turn(1)
    const exchange = await this.#sending.send({ ...sign(body(purpose)), label })
    return exchange === null || exchange.got.status === null ? null : exchange
  }

  /** Sends suspects and controls in an order that chance is unlikely to match. Null if the endpoint doesn't respond. */
  async #prove(
    suspect: AnsweredSuspect,
    control: TrialDelivery,
    before: CheckExchange,
  ): Promise<AnsweredSuspect | null> {
    for (const [index, isSuspect] of PROOFS.entries()) {
      const delivery = isSuspect ? suspect.delivery : control
      const exchange = await this.ask(delivery, `${suspect.finding.cause}, proof ${index}`)
      if (exchange === null) return null
      if (exchangeStatus(exchange) !== exchangeStatus(isSuspect ? suspect.exchange : before))
        return { finding: UNSTEADY, delivery, exchange }
    }
    return suspect
  }

  /** Leaves out each change of the payload without which the delivery gets as far. */
  async #narrow(
    picked: AnsweredSuspect,
    control: TrialDelivery,
    before: CheckExchange,
  ): Promise<AnsweredSuspect> {
    let least = picked
    for (const [place, change] of (picked.changes ?? []).entries()) {
      const fewer = (least.changes ?? []).filter((each) => each !== change)
      if (fewer.length === 0) break
      const suspect = changedSuspect(control, fewer)
      const exchange = await this.ask(suspect.delivery, `narrowed ${place}`)
      if (exchange !== null && isFurther(exchange, exchangeStatus(before)))
        least = { ...suspect, exchange }
    }
    return least
  }

  /**
   * Sends the suspects of a group until one can be picked, or all. Null if the endpoint doesn't
   * respond.
   */
  async #askGroup(
    group: SuspectGroup,
    control: TrialDelivery,
    before: CheckExchange,
  ): Promise<readonly AnsweredSuspect[] | null> {
    const status = exchangeStatus(before)
    const others = this.#wrong.filter((exchange) => exchangeStatus(exchange) !== status)
    const rejected = {
      control,
      exchange: before,
      isSignatureAccepted: others.length > this.#wrong.length / 2,
    }
    const all: AnsweredSuspect[] = []
    for (const [place, suspect] of group.suspects(this.#sending.bench, rejected).entries()) {
      const exchange = await this.ask(suspect.delivery, `${suspect.finding.cause} ${place}`)
      if (exchange === null) return null
      all.push({ ...suspect, exchange })
      if (group.isLong === true && group.pick(all, status) !== undefined) break
    }
    return all
  }

  /**
   * Finds what the endpoint runs into from a rejected delivery on, with the groups that are left.
   */
  async search(
    control: TrialDelivery,
    before: CheckExchange,
    left: readonly SuspectGroup[] = groups,
  ): Promise<readonly AnsweredSuspect[]> {
    const status = exchangeStatus(before)
    for (const group of status < 400 ? [] : left) {
      const all = await this.#askGroup(group, control, before)
      if (all === null) return []
      if (group === likelyMethods) this.#wrong = all.map(({ exchange }) => exchange)
      const picked = group.pick(all, status)
      if (picked === undefined) continue
      const least = await this.#narrow(picked, control, before)
      const found = await this.#prove(least, control, before)
      if (found === null) continue
      const rest = left.filter((each) => each !== group)
      return found.finding === UNSTEADY
        ? [found]
        : [found, ...(await this.search(found.delivery, found.exchange, rest))]
    }
    return []
  }

  /** Finds out whether the signature was accepted. Null if the responses prove nothing. */
  async signatureFinding(last: CheckExchange): Promise<CheckFinding | null> {
    if (exchangeStatus(last) < 400 || this.#wrong.length === 0) return null
    const { unsigned } = this.#sending.bench
    return signatureEvidence(last, this.#wrong, () =>
      this.ask({ ...this.valid, label: 'without a signature', sign: unsigned }, 'unsigned'),
    )
  }

  /** Finds the events that the endpoint accepts, so that the other cases can send one. */
  async acceptedEvents(): Promise<readonly ShownEventType[]> {
    const accepted: ShownEventType[] = []
    for (const { delivery, event } of eventSuspects(this.#sending.bench, this.valid)) {
      const exchange = await this.ask(delivery, 'accepted')
      if (exchange === null) break
      if (this.isAccepted(exchange)) accepted.push(event)
    }
    return accepted
  }
}

type FirstCause = Pick<CheckResult, 'findings' | 'accepted' | 'set' | 'exchanges'>

/** Returns the findings about a first delivery that gets other responses each time. */
function unsteady(
  search: CauseSearch,
  first: CheckExchange,
  again: CheckExchange,
  base: ShownEventType,
): FirstCause {
  return {
    findings: [UNSTEADY],
    accepted: search.isAccepted(again) ? base : undefined,
    exchanges: [first, again],
  }
}

/**
 * Finds why an endpoint doesn't acknowledge the first delivery; `first` is its response. Sends at
 * most `mostCauseRequests`.
 */
export async function findFirstCause(
  sending: CheckSending,
  first: CheckExchange,
): Promise<FirstCause> {
  const { base } = sending.bench.payloads
  const search = new CauseSearch(sending)
  const again = await search.ask(search.valid, 'again')
  if (again === null) return { exchanges: [first] }
  const classOf = (exchange: CheckExchange) => Math.trunc(exchangeStatus(exchange) / 100)
  if (classOf(again) !== classOf(first)) return unsteady(search, first, again, base)
  const found = await search.search(search.valid, first)
  const proof = await search.signatureFinding(found.at(-1)?.exchange ?? again)
  const [cause] = found
  const isPayload = cause !== undefined && isAboutPayload(cause.finding.cause)
  const set =
    isPayload && search.isAccepted(cause.exchange) ? literalsOf(cause.changes ?? []) : undefined
  const accepted = set !== undefined ? [base] : isPayload ? await search.acceptedEvents() : []
  return {
    set,
    findings: [...found.map(({ finding }) => finding), ...(proof === null ? [] : [proof])],
    accepted: accepted.find(isTransactionEvent) ?? accepted[0],
    exchanges: [first, ...found.map(({ exchange }) => exchange)],
  }
}
