/**
 * What is odd about a purchase: said as a sentence, with what to do. Only what is proved counts. Its refunds and how its deliveries
 * arrived are looked at in files of their own. Pure.
 */
import { sameNumber } from '../../shared/json/number-form.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { CLEARING_TO, type PurchaseContext } from './purchase-missing.ts'
import { outOfOrder, repeats, unproved } from './arrival-oddities.ts'
import { idsOf, type PurchaseStage } from './purchase-stages.ts'
import { authOfClearing, clearingOfAuth } from './likely-match.ts'
import { groupRefunds, odditiesOfRefund, refundTotals, unmatchedOf } from './refund-oddities.ts'
import { spanText } from './spans.ts'
import { moneyText, type TransactionFacts } from './transaction-facts.ts'

/** `ofCard`: what is proved of the same card, among which something that names nothing may belong. In the order in which they matter: amounts, what is missing, refunds, arrivals. */
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
    ...(auth === undefined && clearing !== undefined ? [clearingWithoutAuth(clearing, around, ofCard)] : []),
    ...(auth !== undefined && clearing === undefined ? [...clearingElsewhere(auth, ofCard), ...uncleared(auth, around)] : []),
    ...refunds.flatMap((refund) => odditiesOfRefund(refund, ofCard)),
    ...unmatchedOf(auth ?? clearing, ofCard),
    ...refundTotals(auth ?? clearing, refunds),
    ...outOfOrder(auth, clearing, refunds),
    ...stages.flatMap(repeats),
    ...unproved(stages),
  ]
}

/** The amount of an event differs from that of the one before, or from its twin's. */
function amountDrift(own: readonly PurchaseStage[]): Oddity[] {
  const [first, ...rest] = own
  if (first === undefined) return []
  const other = rest.find(
    ({ facts }) => facts.amount !== null && first.facts.amount !== null && !sameNumber(facts.amount, first.facts.amount),
  )
  if (other === undefined) return []
  return [
    {
      code: 'amount-drift',
      level: 'warn',
      message: `The amount changed from ${moneyText(first.facts)} (${first.name}) to ${moneyText(other.facts)} (${other.name}).`,
      fix: 'Take the amount of the clearing: it is what was settled. Tips, fuel and deposits are authorised with another amount.',
      deliveryIds: idsOf(first, other),
    },
  ]
}

function currencyChange(proved: readonly PurchaseStage[]): Oddity[] {
  const first = proved.find(({ facts }) => facts.currency !== null)
  const other = proved.find(({ facts }) => facts.currency !== null && facts.currency !== first?.facts.currency)
  if (first === undefined || other === undefined) return []
  return [
    {
      code: 'currency-change',
      level: 'warn',
      message: `The currency changed from ${first.facts.currency} (${first.name}) to ${other.facts.currency} (${other.name}).`,
      fix: 'Do not add these amounts up. Keep the currency with each amount, and ask the service which one the offer is reckoned in.',
      deliveryIds: idsOf(first, other),
    },
  ]
}

function clearingWithoutAuth(clearing: PurchaseStage, { hasHook }: PurchaseContext, ofCard: readonly TransactionFacts[]): Oddity {
  const likely = authOfClearing(clearing.facts, ofCard)
  const why = hasHook('transaction.auth')
    ? 'The location does not report auths for this scheme, or the auth came before capture began.'
    : 'No hook is registered for transaction.auth.'
  return {
    code: 'clearing-without-auth',
    level: 'warn',
    message:
      likely === null
        ? `This clearing has no auth. ${why}`
        : `This clearing has no auth of its id, but the auth ${likely.facts.id} is of the same card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time.`,
    fix: 'Let your handler create the purchase from a clearing alone: auths are sent only for auth-enabled locations.',
    deliveryIds: [...(likely === null ? [] : [likely.facts.delivery.id]), ...idsOf(clearing)],
  }
}

/** The other way round: a clearing of this card that has no auth, and may be of this one. */
function clearingElsewhere(auth: PurchaseStage, ofCard: readonly TransactionFacts[]): Oddity[] {
  const likely = clearingOfAuth(auth.facts, ofCard)
  if (likely === null) return []
  return [
    {
      code: 'clearing-without-auth',
      level: 'note',
      message: `The clearing ${likely.facts.id} has no auth, and may be of this one: card, ${likely.isOfSamePlace ? 'location, ' : ''}amount and time are the same.`,
      fix: 'Nothing proves that they belong together. Ask the service why the id is another one.',
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
      message: `The auth is still uncleared ${spanText(now - paidAt)} after the payment; a clearing comes 48 to 72 hours after it.`,
      fix: 'Treat it as open, not as earned: it may have been reversed. Look for a clearing with another id, and ask the service.',
      deliveryIds: idsOf(auth),
    },
  ]
}
