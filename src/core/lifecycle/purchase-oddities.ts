/**
 * Finds issues of a purchase, each as a sentence with a fix. Only verified deliveries count. Refunds and arrivals have their own
 * files. Pure.
 */
import { sameNumber } from '../../shared/json/document.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { CLEARING_TO, type PurchaseContext } from './purchase-missing.ts'
import { outOfOrder, repeats, unproved } from './arrival-oddities.ts'
import { idsOf, type PurchaseStage } from './purchase-stages.ts'
import { authOfClearing, clearingOfAuth } from './likely-match.ts'
import { groupRefunds, odditiesOfRefund, refundTotals, unmatchedOf } from './refund-oddities.ts'
import { spanText } from '../../shared/text/moment.ts'
import { moneyText, type TransactionFacts } from './transaction-facts.ts'

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
