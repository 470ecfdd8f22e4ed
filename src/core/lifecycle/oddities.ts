/**
 * Finds issues of a purchase, each as a sentence with a fix. Only verified deliveries count. Pure.
 */
import { sameNumber } from '../../shared/json/document.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { idsOf, type PurchaseStage, CLEARING_TO, type PurchaseContext } from './purchase-stages.ts'
import {
  authOfClearing,
  clearingOfAuth,
  purchaseOfRefund,
  refundOfPurchase,
} from './likely-match.ts'
import { spanText } from '../../shared/text/moment.ts'
import { isProved, moneyText, type TransactionFacts } from './transaction-facts.ts'

// Finds issues with the refunds of a purchase (section 6.3), each alone and all together.

interface Refund {
  readonly id: string
  readonly refund: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  /** The first event received for this refund, in business order. */
  readonly first: PurchaseStage
}

/** Each refund by its id, with its clearing. */
function groupRefunds(proved: readonly PurchaseStage[]): Refund[] {
  const groups = Map.groupBy(
    proved.filter(({ isOfRefund }) => isOfRefund),
    ({ facts }) => facts.id,
  )
  return [...groups].flatMap(([id, stages]) => {
    const [first] = stages
    const find = (base: string) => stages.find((stage) => stage.base === base)
    return first === undefined
      ? []
      : [{ id, refund: find('refund'), clearing: find('clearing'), first }]
  })
}

/** `ofCard`: verified deliveries of the same card, which the refund may belong to if it names no purchase. */
function odditiesOfRefund(
  { id, refund, clearing, first }: Refund,
  ofCard: readonly TransactionFacts[],
): Oddity[] {
  const found: Oddity[] = []
  if (first.facts.originalId === null) found.push(unmatchedRefund(first, ofCard))
  if (clearing !== undefined) {
    found.push(
      refund === undefined
        ? {
            code: 'negative-clearing',
            level: 'warn',
            message: `A clearing of ${moneyText(clearing.facts)} settles a refund, but no transaction.refund with the id ${id} was received.`,
            fix: `Don't count it as a purchase: ${clearing.facts.amount === null ? 'auth is false' : 'the amount is negative'}.`,
            deliveryIds: idsOf(clearing),
          }
        : {
            code: 'negative-clearing',
            level: 'note',
            message: `The refund was reported twice, as specified: as transaction.refund and as a negative transaction.clearing (${moneyText(clearing.facts)}).`,
            fix: 'Count it once, by its id or by handling only one of the two events.',
            deliveryIds: idsOf(refund, clearing),
          },
    )
    if (
      refund !== undefined &&
      refund.facts.amount !== null &&
      clearing.facts.amount !== null &&
      !sameNumber(refund.facts.amount, clearing.facts.amount)
    )
      found.push({
        code: 'amount-drift',
        level: 'warn',
        message: `The refund is ${moneyText(refund.facts)}, its clearing ${moneyText(clearing.facts)}.`,
        fix: "Use the clearing's amount, which is the settled one.",
        deliveryIds: idsOf(refund, clearing),
      })
  }
  return found
}

function unmatchedRefund({ facts }: PurchaseStage, ofCard: readonly TransactionFacts[]): Oddity {
  const likely = purchaseOfRefund(facts, ofCard)
  return {
    code: 'unmatched-refund',
    level: 'warn',
    message:
      likely === null
        ? "The refund names no purchase: the service couldn't match it."
        : likely.isOfSamePlace
          ? `The refund names no purchase. Possible match: ${likely.facts.id} (same card, location and amount).`
          : `The refund names no purchase. Possible match: ${likely.facts.id} (same card and amount; location unknown).`,
    fix: "Don't require originalTransactionId. Match by card, location, merchant and amount, or queue the refund for manual review.",
    deliveryIds: [...(likely === null ? [] : [likely.facts.delivery.id]), facts.delivery.id],
  }
}

/** The reverse: a refund of this card without a purchase that may belong to this one. */
function unmatchedOf(
  purchase: PurchaseStage | undefined,
  ofCard: readonly TransactionFacts[],
): Oddity[] {
  const likely = purchase === undefined ? null : refundOfPurchase(purchase.facts, ofCard)
  if (purchase === undefined || likely === null) return []
  return [
    {
      code: 'unmatched-refund',
      level: 'note',
      message: `The refund ${likely.facts.id} names no purchase and may belong to this one: same card${likely.isOfSamePlace ? ', location' : ''} and amount.`,
      fix: "This match isn't certain. A handler that looks for the refund's purchase would find this one.",
      deliveryIds: [...idsOf(purchase), likely.facts.delivery.id],
    },
  ]
}

/** More was refunded than paid. */
function refundTotals(purchase: PurchaseStage | undefined, refunds: readonly Refund[]): Oddity[] {
  if (purchase === undefined || refunds.length === 0 || purchase.facts.amount === null) return []
  const given = refunds.reduce(
    (sum, { refund, first }) => sum - Number((refund ?? first).facts.amount ?? 0),
    0,
  )
  const paid = Number(purchase.facts.amount)
  // Amounts have few decimals, but sums of doubles are slightly off.
  if (given <= paid + Math.abs(paid) * 1e-9) return []
  return [
    {
      code: 'refund-exceeds',
      level: 'warn',
      message: `${refunds.length === 1 ? 'One refund pays' : `${refunds.length} refunds pay`} back ${Number(given.toFixed(6))}, more than the ${moneyText(purchase.facts)} paid.`,
      fix: 'Check whether one was counted twice or belongs to another purchase.',
      deliveryIds: idsOf(purchase, ...refunds.map(({ first }) => first)),
    },
  ]
}

/**
 * `ofCard`: verified deliveries of the same card, which may include unlinked ones. Sorted by importance: amounts, missing events,
 * refunds, arrivals.
 */
export function odditiesOfPurchase(
  stages: readonly PurchaseStage[],
  around: PurchaseContext,
  ofCard: readonly TransactionFacts[],
): Oddity[] {
  const proved = stages.filter((stage) => stage.isProved)
  const own = proved.filter(({ isOfRefund }) => !isOfRefund)
  const auth = own.find(({ base }) => base === 'auth')
  const clearing = own.find(({ base }) => base === 'clearing')
  const refunds = groupRefunds(proved)
  return [
    ...amountDrift(own),
    ...currencyChange(proved),
    ...(auth === undefined && clearing !== undefined
      ? [clearingWithoutAuth(clearing, around, ofCard)]
      : []),
    ...(auth !== undefined && clearing === undefined
      ? [...clearingElsewhere(auth, ofCard), ...uncleared(auth, around)]
      : []),
    ...refunds.flatMap((refund) => odditiesOfRefund(refund, ofCard)),
    ...unmatchedOf(auth ?? clearing, ofCard),
    ...refundTotals(auth ?? clearing, refunds),
    ...outOfOrder(auth, clearing, refunds),
    ...stages.flatMap(repeats),
    ...unproved(stages),
  ]
}

/** The amount of an event differs from the previous event, or from its .qualified event. */
function amountDrift(own: readonly PurchaseStage[]): Oddity[] {
  const [first, ...rest] = own
  if (first === undefined) return []
  const other = rest.find(
    ({ facts }) =>
      facts.amount !== null &&
      first.facts.amount !== null &&
      !sameNumber(facts.amount, first.facts.amount),
  )
  if (other === undefined) return []
  return [
    {
      code: 'amount-drift',
      level: 'warn',
      message: `The amount changed from ${moneyText(first.facts)} (${first.name}) to ${moneyText(other.facts)} (${other.name}).`,
      fix: "Use the clearing's amount, which is the settled one. Tips, fuel and deposits are authorized with a different amount.",
      deliveryIds: idsOf(first, other),
    },
  ]
}

function currencyChange(proved: readonly PurchaseStage[]): Oddity[] {
  const first = proved.find(({ facts }) => facts.currency !== null)
  const other = proved.find(
    ({ facts }) => facts.currency !== null && facts.currency !== first?.facts.currency,
  )
  if (first === undefined || other === undefined) return []
  return [
    {
      code: 'currency-change',
      level: 'warn',
      message: `The currency changed from ${first.facts.currency} (${first.name}) to ${other.facts.currency} (${other.name}).`,
      fix: "Don't add these amounts. Store the currency with each amount, and ask the service which one the offer uses.",
      deliveryIds: idsOf(first, other),
    },
  ]
}

function clearingWithoutAuth(
  clearing: PurchaseStage,
  { hasHook }: PurchaseContext,
  ofCard: readonly TransactionFacts[],
): Oddity {
  const likely = authOfClearing(clearing.facts, ofCard)
  const why = hasHook('transaction.auth')
    ? "The location doesn't report auths for this scheme, or the auth was sent before capture began."
    : 'No hook is registered for transaction.auth.'
  return {
    code: 'clearing-without-auth',
    level: 'warn',
    message:
      likely === null
        ? `Clearing without an auth. ${why}`
        : `Clearing without an auth of the same id, but the auth ${likely.facts.id} has the same card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time.`,
    fix: 'Create the purchase from the clearing alone if needed. Auths are sent only for auth-enabled locations.',
    deliveryIds: [...(likely === null ? [] : [likely.facts.delivery.id]), ...idsOf(clearing)],
  }
}

/** The reverse: a clearing of this card without an auth that may belong to this purchase. */
function clearingElsewhere(auth: PurchaseStage, ofCard: readonly TransactionFacts[]): Oddity[] {
  const likely = clearingOfAuth(auth.facts, ofCard)
  if (likely === null) return []
  return [
    {
      code: 'clearing-without-auth',
      level: 'note',
      message: `The clearing ${likely.facts.id} has no auth and may belong to this purchase: same card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time.`,
      fix: "This match isn't certain. Ask the service why the ids differ.",
      deliveryIds: [...idsOf(auth), likely.facts.delivery.id],
    },
  ]
}

function uncleared(auth: PurchaseStage, { now, hasHook }: PurchaseContext): Oddity[] {
  const paidAt = auth.facts.createdAt ?? auth.facts.happenedAt
  if (paidAt === null || now - paidAt <= CLEARING_TO || !hasHook('transaction.clearing')) return []
  return [
    {
      code: 'uncleared',
      level: 'warn',
      message: `Still not cleared ${spanText(now - paidAt)} after the payment. A clearing usually follows within 48 to 72 hours.`,
      fix: 'Treat it as pending, not as earned: it may have been reversed. Look for a clearing with another id, and ask the service.',
      deliveryIds: idsOf(auth),
    },
  ]
}

// How the deliveries arrived: out of order, more than once, or without a valid signature.

/** Deliveries that arrived before the one they follow. */
function outOfOrder(
  auth: PurchaseStage | undefined,
  clearing: PurchaseStage | undefined,
  refunds: readonly Refund[],
): Oddity[] {
  const steps: (readonly [PurchaseStage | undefined, PurchaseStage | undefined])[] = [
    [auth, clearing],
    ...refunds.map(({ first }) => [clearing ?? auth, first] as const),
  ]
  return steps.flatMap(([earlier, later]): Oddity[] => {
    if (earlier === undefined || later === undefined) return []
    const [before, after] = [firstProved(earlier), firstProved(later)]
    if (before.delivery.seq < after.delivery.seq) return []
    const ahead = Date.parse(before.delivery.receivedAt) - Date.parse(after.delivery.receivedAt)
    return [
      {
        code: 'out-of-order',
        level: 'warn',
        message: `${inSentence(later)} arrived ${spanText(ahead)} before ${inSentence(earlier)}.`,
        fix: 'Deliveries can arrive out of order. Accept them in any order and rely on the times in the payload.',
        deliveryIds: [before.delivery.id, after.delivery.id],
      },
    ]
  })
}

/** The name of an event within a sentence: `auth (qualified)`. */
function inSentence({ name }: Pick<PurchaseStage, 'name'>): string {
  return name.toLowerCase()
}

function firstProved({ all, facts }: PurchaseStage): TransactionFacts {
  return all.find(isProved) ?? facts
}

/** The same event more than once: repeats after an acknowledgement, or deliveries with different content. */
function repeats({ name, all }: PurchaseStage): Oddity[] {
  const proved = all.filter(isProved)
  const [first] = proved
  if (first === undefined) return []
  const found: Oddity[] = []
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    found.push({
      code: 'duplicate',
      level: 'warn',
      message: `The ${inSentence({ name })} was delivered again ${duplicates.length === 1 ? '' : `${duplicates.length} times `}after it was acknowledged.`,
      fix: 'Detect repeats by transaction id and event, and return 200 without processing them twice.',
      deliveryIds: duplicates.map(({ delivery }) => delivery.id),
    })
  const other = proved.find(({ body }) => body !== first.body)
  if (other !== undefined)
    found.push({
      code: 'content-differs',
      level: 'warn',
      message: `The ${inSentence({ name })} was delivered more than once with different content.`,
      fix: 'Compare the deliveries. If only times differ, use the later one. If the amount differs, ask the service.',
      deliveryIds: [first.delivery.id, other.delivery.id],
    })
  return found
}

/** Deliveries that no other finding relies on. */
function unproved(stages: readonly PurchaseStage[]): Oddity[] {
  const deliveries = stages.flatMap(({ all }) => all).filter((facts) => !isProved(facts))
  if (deliveries.length === 0) return []
  const one = deliveries.length === 1
  return [
    {
      code: 'unproved',
      level: 'warn',
      message: `${one ? 'One delivery names' : `${deliveries.length} deliveries name`} this purchase without a valid signature. ${one ? 'It is' : 'They are'} shown, but not used.`,
      fix: 'Open it to see why its signature is invalid. Your handler must not act on it.',
      deliveryIds: deliveries.map(({ delivery }) => delivery.id),
    },
  ]
}
