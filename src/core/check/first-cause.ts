/**
 * Finds out why an endpoint doesn't accept the first delivery. One mistake can hide another, so the
 * search continues with a delivery that avoids each proven one.
 */
import type { CheckExchange, CheckFinding, CheckResult } from '../../shared/model/check.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import { changedPath, type PayloadChange } from './payload-changes.ts'
import type { RequestFactory, CheckSending } from './requests.ts'
import { isCheckAcknowledged } from './judge.ts'
import { isAboutPayload, UNSTEADY_FINDING } from './first-conclusions.ts'
import {
  changedSuspect,
  eventSuspects,
  filledPayloads,
  otherEvents,
  validatedPayloads,
} from './payload-suspects.ts'
import { exchangeStatus } from './response-words.ts'
import { signatureEvidence } from './signature-evidence.ts'
import { likelyMethods, otherHeaders, rareMethods, secondsTimestamp } from './signature-suspects.ts'
import {
  isFurther,
  type AnsweredSuspect,
  type SuspectGroup,
  type TrialDelivery,
} from './suspect.ts'

/**
 * Order of a proof's requests: true sends the suspect, false the control, in a sequence that no
 * alternating handler matches.
 */
const PROOF_ORDER = [false, false, true, false, true, true, false, true]

/** Groups in the order in which an endpoint checks. */
const groups: readonly SuspectGroup[] = [
  secondsTimestamp,
  likelyMethods,
  otherHeaders,
  filledPayloads,
  validatedPayloads,
  otherEvents,
  rareMethods,
]

/** Allowance besides groups and proofs, such as for an unsigned request. */
const MAX_OTHER_REQUESTS = 3
const MAX_PROOFS = 3

/** Returns the maximum number of requests; short groups are sent again after a proof. */
export function maxCauseRequests(factory: RequestFactory): number {
  const counts = groups.map(({ most, isLong }) => (isLong === true ? 1 : 2) * most(factory))
  const inGroups = counts.reduce((sum, count) => sum + count)
  return MAX_OTHER_REQUESTS + inGroups + MAX_PROOFS * PROOF_ORDER.length
}

/**
 * Returns the changed values as literals, by path; undefined for changes that aren't only values.
 */
function literalsOf(changes: readonly PayloadChange[]): Literals | undefined {
  const isValue = changes.every(({ before, value }) => before === 'other' && value !== undefined)
  return changes.length > 0 && isValue
    ? Object.fromEntries(
        changes.map((change) => [changedPath(change), JSON.stringify(change.value)]),
      )
    : undefined
}

class CauseSearch {
  readonly #sending: CheckSending
  /** Valid delivery, which the first search sends as its control. */
  readonly valid: TrialDelivery
  /** Responses to wrongly signed deliveries. */
  #wronglySigned: readonly CheckExchange[] = []

  constructor(sending: CheckSending) {
    const { factory } = sending
    this.#sending = sending
    this.valid = {
      label: 'a valid delivery again',
      body: (purpose) => factory.baseBody(`cause, ${purpose}`),
      sign: factory.request,
    }
  }

  isAccepted({ got }: CheckExchange): boolean {
    return isCheckAcknowledged(got, this.#sending.factory.settings.ack)
  }

  /** Sends a delivery with ids of this purpose; null if cancelled or without a response. */
  async ask({ label, body, sign }: TrialDelivery, purpose: string): Promise<CheckExchange | null> {
    await this.#sending.waitForTurn(1)
    const exchange = await this.#sending.send({ ...sign(body(purpose)), label })
    return exchange === null || exchange.got.status === null ? null : exchange
  }

  /**
   * Confirms that suspect and control keep getting different responses; null without a response.
   */
  async #prove(
    suspect: AnsweredSuspect,
    control: TrialDelivery,
    rejection: CheckExchange,
  ): Promise<AnsweredSuspect | null> {
    for (const [index, isSuspect] of PROOF_ORDER.entries()) {
      const delivery = isSuspect ? suspect.delivery : control
      const exchange = await this.ask(delivery, `${suspect.finding.cause}, proof ${index}`)
      if (exchange === null) return null
      if (exchangeStatus(exchange) !== exchangeStatus(isSuspect ? suspect.exchange : rejection))
        return { finding: UNSTEADY_FINDING, delivery, exchange }
    }
    return suspect
  }

  /** Removes the changes that a suspect doesn't need to get further than the control. */
  async #narrow(
    suspect: AnsweredSuspect,
    control: TrialDelivery,
    rejection: CheckExchange,
  ): Promise<AnsweredSuspect> {
    let smallest = suspect
    for (const [place, change] of (suspect.changes ?? []).entries()) {
      const fewer = (smallest.changes ?? []).filter((candidate) => candidate !== change)
      if (fewer.length === 0) break
      const simpler = changedSuspect(control, fewer)
      const exchange = await this.ask(simpler.delivery, `narrowed ${place}`)
      if (exchange !== null && isFurther(exchange, exchangeStatus(rejection)))
        smallest = { ...simpler, exchange }
    }
    return smallest
  }

  /**
   * Sends a group's suspects; in a long group, stops at the first that `pick` accepts. Null if a
   * request gets no response.
   */
  async #askGroup(
    group: SuspectGroup,
    control: TrialDelivery,
    rejection: CheckExchange,
  ): Promise<readonly AnsweredSuspect[] | null> {
    const status = exchangeStatus(rejection)
    const differing = this.#wronglySigned.filter((exchange) => exchangeStatus(exchange) !== status)
    const rejected = {
      control,
      exchange: rejection,
      isSignatureAccepted: differing.length > this.#wronglySigned.length / 2,
    }
    const answered: AnsweredSuspect[] = []
    for (const [place, suspect] of group.suspects(this.#sending.factory, rejected).entries()) {
      const exchange = await this.ask(suspect.delivery, `${suspect.finding.cause} ${place}`)
      if (exchange === null) return null
      answered.push({ ...suspect, exchange })
      if (group.isLong === true && group.pick(answered, status) !== undefined) break
    }
    return answered
  }

  /** Finds the mistakes behind the control's rejection; a proven suspect is the next control. */
  async search(
    control: TrialDelivery,
    rejection: CheckExchange,
    remaining: readonly SuspectGroup[] = groups,
  ): Promise<readonly AnsweredSuspect[]> {
    const status = exchangeStatus(rejection)
    for (const group of status < 400 ? [] : remaining) {
      const answered = await this.#askGroup(group, control, rejection)
      if (answered === null) return []
      if (group === likelyMethods) this.#wronglySigned = answered.map(({ exchange }) => exchange)
      const suspect = group.pick(answered, status)
      if (suspect === undefined) continue
      const narrowed = await this.#narrow(suspect, control, rejection)
      const proven = await this.#prove(narrowed, control, rejection)
      if (proven === null) continue
      const others = remaining.filter((other) => other !== group)
      return proven.finding === UNSTEADY_FINDING
        ? [proven]
        : [proven, ...(await this.search(proven.delivery, proven.exchange, others))]
    }
    return []
  }

  /** Finds out whether the signature was accepted; null without proof. */
  async signatureFinding(last: CheckExchange): Promise<CheckFinding | null> {
    if (exchangeStatus(last) < 400 || this.#wronglySigned.length === 0) return null
    const { unsigned } = this.#sending.factory
    return signatureEvidence(last, this.#wronglySigned, () =>
      this.ask({ ...this.valid, label: 'without a signature', sign: unsigned }, 'unsigned'),
    )
  }

  async acceptedEvents(): Promise<readonly ShownEventType[]> {
    const accepted: ShownEventType[] = []
    for (const { delivery, event } of eventSuspects(this.#sending.factory, this.valid)) {
      const exchange = await this.ask(delivery, 'accepted')
      if (exchange === null) break
      if (this.isAccepted(exchange)) accepted.push(event)
    }
    return accepted
  }
}

type FirstCause = Pick<CheckResult, 'findings' | 'accepted' | 'set' | 'exchanges'>

function unsteady(
  search: CauseSearch,
  first: CheckExchange,
  second: CheckExchange,
  base: ShownEventType,
): FirstCause {
  return {
    findings: [UNSTEADY_FINDING],
    accepted: search.isAccepted(second) ? base : undefined,
    exchanges: [first, second],
  }
}

export async function findFirstCause(
  sending: CheckSending,
  first: CheckExchange,
): Promise<FirstCause> {
  const { base } = sending.factory.payloads
  const search = new CauseSearch(sending)
  const second = await search.ask(search.valid, 'again')
  if (second === null) return { exchanges: [first] }
  const classOf = (exchange: CheckExchange) => Math.trunc(exchangeStatus(exchange) / 100)
  if (classOf(second) !== classOf(first)) return unsteady(search, first, second, base)
  const suspects = await search.search(search.valid, first)
  const proof = await search.signatureFinding(suspects.at(-1)?.exchange ?? second)
  const [cause] = suspects
  const isPayload = cause !== undefined && isAboutPayload(cause.finding.cause)
  const set =
    isPayload && search.isAccepted(cause.exchange) ? literalsOf(cause.changes ?? []) : undefined
  const accepted = set !== undefined ? [base] : isPayload ? await search.acceptedEvents() : []
  return {
    set,
    findings: [...suspects.map(({ finding }) => finding), ...(proof === null ? [] : [proof])],
    accepted: accepted.find(isTransactionEvent) ?? accepted[0],
    exchanges: [first, ...suspects.map(({ exchange }) => exchange)],
  }
}
