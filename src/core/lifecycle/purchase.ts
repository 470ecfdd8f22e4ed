/**
 * One purchase with its refunds (sections 6.2 and 6.3): its events in business order, missing events, and findings, each
 * as a sentence with a fix. Only verified deliveries count. Pure.
 */
import { sameNumber } from '../../shared/json/number.ts'
import type {
  Lifecycle,
  LifecycleStage,
  MissingStage,
  Oddity,
} from '../../shared/model/lifecycle.ts'
import { spanText } from '../../shared/text/moment.ts'
import { isoOrNull, isProved, findingOf, unproved, type TransactionFacts } from './facts.ts'

const HOUR = 3_600_000
/** A transaction is settled "usually 48 to 72 hours after payment" (section 6.2). */
const CLEARING_FROM = 48 * HOUR
const CLEARING_TO = 72 * HOUR
/** Events that accompany another may arrive slightly later. */
const ALONG = 60_000

interface Surroundings {
  /** Sandbox or real time, in milliseconds. */
  readonly now: number
  readonly programId: string | null
  /** Whether a hook is registered here for an event in the purchase's environment. */
  hasHook(event: string): boolean
  /** Verified deliveries of the same card, which may include unlinked ones. */
  readonly ofCard: readonly TransactionFacts[]
}

/** One event of a purchase: what its first verified delivery says, otherwise its first. */
interface Stage extends TransactionFacts {
  /** All of its deliveries, oldest first. */
  readonly all: readonly TransactionFacts[]
}

/** The events of one refund, which share its id. */
interface Refund {
  readonly refund: Stage | undefined
  readonly clearing: Stage | undefined
  /** The first of them in business order. */
  readonly first: Stage
}

/** The verified events of a purchase, in business order, and what surrounds it. */
interface Purchase extends Surroundings {
  readonly proved: readonly Stage[]
  /** Those of the purchase itself. */
  readonly own: readonly Stage[]
  readonly auth: Stage | undefined
  readonly clearing: Stage | undefined
  readonly refunds: readonly Refund[]
}

/** The lifecycle of a purchase from all deliveries that name it. */
export function purchaseLifecycle(
  found: readonly TransactionFacts[],
  around: Surroundings,
): Pick<Lifecycle, 'stages' | 'missing' | 'oddities'> {
  const stages = stagesOf(found)
  const proved = stages.filter(isProved)
  const own = proved.filter(({ isOfRefund }) => !isOfRefund)
  const refunds = Map.groupBy(
    proved.filter(({ isOfRefund }) => isOfRefund),
    ({ id }) => id,
  )
  const purchase: Purchase = {
    ...around,
    proved,
    own,
    auth: ofBase(own, 'auth'),
    clearing: ofBase(own, 'clearing'),
    refunds: [...refunds.values()].flatMap((events) =>
      events.slice(0, 1).map((first) => ({
        refund: ofBase(events, 'refund'),
        clearing: ofBase(events, 'clearing'),
        first,
      })),
    ),
  }
  return {
    stages: stages.map(toLifecycleStage),
    missing: missingOf(purchase),
    // By importance: amounts, missing events, refunds, arrivals.
    oddities: [
      ...purchaseRules.flatMap((rule) => [...rule(purchase)]),
      ...stages.flatMap((stage) => [...repeats(stage)]),
      ...unproved(
        stages.flatMap(({ all }) => all.filter((facts) => !isProved(facts))),
        'purchase',
      ),
    ],
  }
}

const ofBase = (stages: readonly Stage[], base: TransactionFacts['base']) =>
  stages.find((stage) => stage.base === base)

/** Names of events, in business order. */
const names = ['Auth', 'Clearing', 'Refund', 'Refund clearing'] as const

function placeOf({ base, isOfRefund }: Stage): 0 | 1 | 2 | 3 {
  if (base === 'auth') return 0
  if (base === 'refund') return 2
  return isOfRefund ? 3 : 1
}

/** `Auth`, `Clearing, qualified`, `Refund clearing`. */
function nameOf(stage: Stage): string {
  return `${names[placeOf(stage)]}${stage.isQualified ? ', qualified' : ''}`
}

/** The name of an event within a sentence: `auth, qualified`. */
const inSentence = (stage: Stage) => nameOf(stage).toLowerCase()

/** Groups deliveries into events: the purchase before its refunds, refunds by time, plain events before .qualified ones. */
function stagesOf(found: readonly TransactionFacts[]): Stage[] {
  const groups = Map.groupBy(
    found.toSorted((one, other) => one.delivery.seq - other.delivery.seq),
    ({ isOfRefund, id, event }) => `${isOfRefund ? `refund ${id}` : 'purchase'} ${event}`,
  )
  return [...groups.values()]
    .flatMap((all) => {
      const facts = all.find(isProved) ?? all[0]
      return facts === undefined ? [] : [{ ...facts, all }]
    })
    .sort((one, other) => {
      if (one.isOfRefund !== other.isOfRefund) return one.isOfRefund ? 1 : -1
      if (one.isOfRefund && one.id !== other.id)
        return timeFor(one) - timeFor(other) || one.id.localeCompare(other.id)
      return placeOf(one) - placeOf(other) || Number(one.isQualified) - Number(other.isQualified)
    })
}

function timeFor({ createdAt, happenedAt, delivery }: TransactionFacts): number {
  return createdAt ?? happenedAt ?? Date.parse(delivery.receivedAt)
}

function toLifecycleStage(stage: Stage): LifecycleStage {
  const { all } = stage
  return {
    part: stage.isOfRefund ? 'refund' : 'purchase',
    event: stage.event,
    name: nameOf(stage),
    objectId: stage.id,
    amount: stage.amount,
    currency: stage.currency,
    status: null,
    offer: stage.offer,
    happenedAt: isoOrNull(stage.happenedAt),
    receivedAt: (all[0] ?? stage).delivery.receivedAt,
    isProved: isProved(stage),
    deliveries: all.map(({ delivery }) => delivery),
  }
}

/** `12.50 GBP`, the number as sent. */
function money({ amount, currency }: Stage): string {
  return `${amount ?? 'no amount'}${currency === null ? '' : ` ${currency}`}`
}

function hasOtherAmount(one: Stage, other: Stage): boolean {
  return one.amount !== null && other.amount !== null && !sameNumber(one.amount, other.amount)
}

/** When it was paid, in milliseconds since the epoch; null if unknown. */
const paymentTime = ({ createdAt, happenedAt }: Stage) => createdAt ?? happenedAt

// Events that the spec leads us to expect and that are missing.

function missingOf(purchase: Purchase): MissingStage[] {
  const { auth, clearing, refunds, proved } = purchase
  return [
    ...(auth !== undefined && clearing === undefined ? [missingClearing(auth, purchase)] : []),
    ...(auth === undefined && clearing === undefined ? missingPurchase(proved) : []),
    ...refunds.flatMap((refund) => missingOfRefund(refund, purchase)),
  ]
}

/** The command that registers a hook; a program hook needs its program (section 2.1). */
function registration(event: string, { programId }: Surroundings): string {
  return `countersign hooks add --event ${event}${programId === null ? '' : ` --program ${programId}`}`
}

function missingClearing(auth: Stage, around: Surroundings): MissingStage {
  const { now, hasHook } = around
  const paidAt = paymentTime(auth)
  const event = 'transaction.clearing'
  const due = paidAt === null ? null : { from: paidAt + CLEARING_FROM, to: paidAt + CLEARING_TO }
  const missing = (message: string, fix: string): MissingStage => ({
    part: 'purchase',
    event,
    name: 'Clearing',
    from: isoOrNull(due?.from ?? null),
    to: isoOrNull(due?.to ?? null),
    isLate: due !== null && now > due.to,
    message,
    fix,
  })
  if (!hasHook(event))
    return missing(
      `No hook is registered for ${event}, so this purchase's clearing isn't received here.`,
      `Register one: ${registration(event, around)}.`,
    )
  if (due === null || now < due.from)
    return missing(
      `Purchases settle 48 to 72 hours after the payment.${due === null ? '' : ` Expected in ${spanText(due.from - now)}.`}`,
      'Nothing to do yet. In the sandbox you can advance the clock.',
    )
  return now <= due.to
    ? missing(
        `Due now: the payment was ${spanText(now - (due.from - CLEARING_FROM))} ago.`,
        'Nothing to do yet.',
      )
    : missing(
        `Overdue by ${spanText(now - due.to)}: purchases settle within 72 hours of the payment.`,
        'Check whether the receiver was reachable then, and ask the service whether the transaction was settled or reversed.',
      )
}

/** The purchase of a refund, if it wasn't captured. */
function missingPurchase(proved: readonly Stage[]): MissingStage[] {
  const refund = proved.find(({ originalId, id }) => originalId !== null && originalId !== id)
  if (refund === undefined) return []
  return [
    {
      part: 'purchase',
      event: 'transaction.auth',
      name: "The purchase's auth and clearing",
      from: null,
      to: null,
      isLate: false,
      message: `Refunds purchase ${refund.originalId}, which wasn't captured.`,
      fix: 'It was made before capture began, or no hook is registered for its events. Make sure your handler accepts refunds of unknown purchases.',
    },
  ]
}

function missingOfRefund(
  { refund, clearing, first }: Refund,
  around: Surroundings,
): MissingStage[] {
  if (refund !== undefined && clearing !== undefined) return []
  const event = refund === undefined ? 'transaction.refund' : 'transaction.clearing'
  const { happenedAt } = first
  const hasHook = around.hasHook(event)
  const both = 'A refund triggers both transaction.refund and transaction.clearing.'
  return [
    {
      part: 'refund',
      event,
      name: names[refund === undefined ? 2 : 3],
      from: isoOrNull(happenedAt),
      to: isoOrNull(happenedAt),
      isLate: hasHook && around.now - (happenedAt ?? around.now) > ALONG,
      message: hasHook
        ? `Missing ${event}. ${both}`
        : `No hook is registered for ${event}. ${both}`,
      fix: hasHook
        ? 'Count the refund once, from the event you received. Check whether the other was rejected or is still being retried.'
        : `If you want both, register one: ${registration(event, around)}.`,
    },
  ]
}

// Deliveries that may belong together although neither names the other, by what identifies a purchase (section 6.3): card, location,
// merchant, amount and time. All are of one card.

interface Likely extends TransactionFacts {
  /** Whether both name the location, so it is the same. */
  readonly isOfSamePlace: boolean
}

/** The first at the same location, otherwise the first whose location is unknown. */
function likeliest(
  facts: Stage,
  ofCard: readonly TransactionFacts[],
  isPossible: (other: TransactionFacts) => boolean,
): Likely | null {
  // A missing value matches anything.
  const agree = (one: string | null, other: string | null) =>
    one === null || other === null || one === other
  const possible = ofCard.filter(
    (other) =>
      isPossible(other) &&
      other.id !== facts.id &&
      agree(other.currency, facts.currency) &&
      agree(other.locationId, facts.locationId) &&
      agree(other.merchantId, facts.merchantId),
  )
  const isOfSamePlace = (other: TransactionFacts) =>
    other.locationId !== null && other.locationId === facts.locationId
  const found = possible.find(isOfSamePlace) ?? possible[0]
  return found === undefined ? null : { ...found, isOfSamePlace: isOfSamePlace(found) }
}

function isGivenBack(purchase: TransactionFacts, refund: TransactionFacts): boolean {
  return (
    !purchase.isOfRefund &&
    (purchase.happenedAt ?? 0) <= (refund.happenedAt ?? Number.POSITIVE_INFINITY) &&
    purchase.amount !== null &&
    refund.amount !== null &&
    sameNumber(`-${purchase.amount}`, refund.amount)
  )
}

function isAlike(one: TransactionFacts, other: TransactionFacts): boolean {
  return (
    one.amount !== null &&
    other.amount !== null &&
    sameNumber(one.amount, other.amount) &&
    one.paidAt !== null &&
    one.paidAt === other.paidAt
  )
}

// Findings.

/** In the order in which findings are shown. */
const purchaseRules: readonly ((purchase: Purchase) => Iterable<Oddity>)[] = [
  function* amountDrift({ own: [first, ...rest] }) {
    const other = rest.find((stage) => first !== undefined && hasOtherAmount(first, stage))
    if (first === undefined || other === undefined) return
    yield findingOf(
      'warn',
      'amount-drift',
      [first, other],
      `The amount changed from ${money(first)} (${nameOf(first)}) to ${money(other)} (${nameOf(other)}).`,
      "Use the clearing's amount, which is the settled one. Tips, fuel and deposits are authorized with a different amount.",
    )
  },
  function* currencyChange({ proved }) {
    const [first, ...rest] = proved.filter(({ currency }) => currency !== null)
    const other = rest.find(({ currency }) => currency !== first?.currency)
    if (first === undefined || other === undefined) return
    yield findingOf(
      'warn',
      'currency-change',
      [first, other],
      `The currency changed from ${first.currency} (${nameOf(first)}) to ${other.currency} (${nameOf(other)}).`,
      "Don't add these amounts. Store the currency with each amount, and ask the service which one the offer uses.",
    )
  },
  function* clearingWithoutAuth({ auth, clearing, hasHook, ofCard }) {
    if (auth !== undefined || clearing === undefined) return
    const likely = likeliest(
      clearing,
      ofCard,
      (other) => other.base === 'auth' && isAlike(other, clearing),
    )
    const why = hasHook('transaction.auth')
      ? "The location doesn't report auths for this scheme, or the auth was sent before capture began."
      : 'No hook is registered for transaction.auth.'
    yield findingOf(
      'warn',
      'clearing-without-auth',
      [...(likely === null ? [] : [likely]), clearing],
      likely === null
        ? `Clearing without an auth. ${why}`
        : `Clearing without an auth of the same id, but the auth ${likely.id} has the same card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time.`,
      'Create the purchase from the clearing alone if needed. Auths are sent only for auth-enabled locations.',
    )
  },
  /** The reverse: a clearing of this card without an auth of the same id that may belong to this purchase. */
  function* clearingElsewhere({ auth, clearing, ofCard }) {
    if (auth === undefined || clearing !== undefined) return
    const authorised = new Set(ofCard.filter(({ base }) => base === 'auth').map(({ id }) => id))
    const likely = likeliest(
      auth,
      ofCard,
      (other) =>
        other.base === 'clearing' &&
        !other.isOfRefund &&
        !authorised.has(other.id) &&
        isAlike(auth, other),
    )
    if (likely === null) return
    yield findingOf(
      'note',
      'clearing-without-auth',
      [auth, likely],
      `The clearing ${likely.id} has no auth and may belong to this purchase: same card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time.`,
      "This match isn't certain. Ask the service why the ids differ.",
    )
  },
  function* uncleared({ auth, clearing, now, hasHook }) {
    if (auth === undefined || clearing !== undefined) return
    const paidAt = paymentTime(auth)
    if (paidAt === null || now - paidAt <= CLEARING_TO || !hasHook('transaction.clearing')) return
    yield findingOf(
      'warn',
      'uncleared',
      [auth],
      `Still not cleared ${spanText(now - paidAt)} after the payment. A clearing usually follows within 48 to 72 hours.`,
      'Treat it as pending, not as earned: it may have been reversed. Look for a clearing with another id, and ask the service.',
    )
  },
  ({ refunds, ofCard }) => refunds.flatMap((refund) => [...odditiesOfRefund(refund, ofCard)]),
  /** A refund of this card that names no purchase and may belong to this one. */
  function* unmatchedElsewhere({ auth, clearing, ofCard }) {
    const own = auth ?? clearing
    if (own === undefined) return
    const matched = new Set(
      ofCard.filter(({ originalId }) => originalId !== null).map(({ id }) => id),
    )
    const likely = likeliest(
      own,
      ofCard,
      (other) => other.isOfRefund && !matched.has(other.id) && isGivenBack(own, other),
    )
    if (likely === null) return
    yield findingOf(
      'note',
      'unmatched-refund',
      [own, likely],
      `The refund ${likely.id} names no purchase and may belong to this one: same card${likely.isOfSamePlace ? ', location' : ''} and amount.`,
      "This match isn't certain. A handler that looks for the refund's purchase would find this one.",
    )
  },
  function* refundTotals({ auth, clearing, refunds }) {
    const own = auth ?? clearing
    if (own === undefined || refunds.length === 0 || own.amount === null) return
    const firsts = refunds.map(({ first }) => first)
    const given = firsts.reduce((sum, { amount }) => sum - Number(amount ?? 0), 0)
    const paid = Number(own.amount)
    // Amounts have few decimals, but sums of doubles are slightly off.
    if (given <= paid + Math.abs(paid) * 1e-9) return
    yield findingOf(
      'warn',
      'refund-exceeds',
      [own, ...firsts],
      `${refunds.length === 1 ? 'One refund pays' : `${refunds.length} refunds pay`} back ${Number(given.toFixed(6))}, more than the ${money(own)} paid.`,
      'Check whether one was counted twice or belongs to another purchase.',
    )
  },
  function* outOfOrder({ auth, clearing, refunds }) {
    const steps: (readonly [Stage | undefined, Stage | undefined])[] = [
      [auth, clearing],
      ...refunds.map(({ first }) => [clearing ?? auth, first] as const),
    ]
    for (const [earlier, later] of steps) {
      if (earlier === undefined || later === undefined) continue
      const [before, after] = [earlier.delivery, later.delivery]
      if (before.seq < after.seq) continue
      const ahead = Date.parse(before.receivedAt) - Date.parse(after.receivedAt)
      yield findingOf(
        'warn',
        'out-of-order',
        [earlier, later],
        `${inSentence(later)} arrived ${spanText(ahead)} before ${inSentence(earlier)}.`,
        'Deliveries can arrive out of order. Accept them in any order and rely on the times in the payload.',
      )
    }
  },
]

function* odditiesOfRefund(
  { refund, clearing, first }: Refund,
  ofCard: readonly TransactionFacts[],
): Generator<Oddity> {
  if (first.originalId === null) {
    const likely = likeliest(first, ofCard, (other) => isGivenBack(other, first))
    yield findingOf(
      'warn',
      'unmatched-refund',
      [...(likely === null ? [] : [likely]), first],
      likely === null
        ? "The refund names no purchase: the service couldn't match it."
        : `The refund names no purchase. Possible match: ${likely.id} (same card${likely.isOfSamePlace ? ', location and amount' : ' and amount; location unknown'}).`,
      "Don't require originalTransactionId. Match by card, location, merchant and amount, or queue the refund for manual review.",
    )
  }
  if (clearing === undefined) return
  if (refund === undefined) {
    yield findingOf(
      'warn',
      'negative-clearing',
      [clearing],
      `A clearing of ${money(clearing)} settles a refund, but no transaction.refund with the id ${first.id} was received.`,
      `Don't count it as a purchase: ${clearing.amount === null ? 'auth is false' : 'the amount is negative'}.`,
    )
    return
  }
  yield findingOf(
    'note',
    'negative-clearing',
    [refund, clearing],
    `The refund was reported twice, as specified: as transaction.refund and as a negative transaction.clearing (${money(clearing)}).`,
    'Count it once, by its id or by handling only one of the two events.',
  )
  if (hasOtherAmount(refund, clearing))
    yield findingOf(
      'warn',
      'amount-drift',
      [refund, clearing],
      `The refund is ${money(refund)}, its clearing ${money(clearing)}.`,
      "Use the clearing's amount, which is the settled one.",
    )
}

/** The same event more than once: repeats after an acknowledgement, or deliveries with different content. */
function* repeats(stage: Stage): Generator<Oddity> {
  const proved = stage.all.filter(isProved)
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    yield findingOf(
      'warn',
      'duplicate',
      duplicates,
      `The ${inSentence(stage)} was delivered again ${duplicates.length === 1 ? '' : `${duplicates.length} times `}after it was acknowledged.`,
      'Detect repeats by transaction id and event, and return 200 without processing them twice.',
    )
  const other = proved.find(({ body }) => body !== stage.body)
  if (other !== undefined)
    yield findingOf(
      'warn',
      'content-differs',
      [stage, other],
      `The ${inSentence(stage)} was delivered more than once with different content.`,
      'Compare the deliveries. If only times differ, use the later one. If the amount differs, ask the service.',
    )
}
