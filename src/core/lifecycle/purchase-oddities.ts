/**
 * What is odd about a purchase: said as a sentence, with what to do. Only what is proved counts. Its refunds and how its deliveries
 * arrived are looked at in files of their own. Pure.
 */
import { sameNumber } from '../../shared/diff/number-form.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { CLEARING_TO, type Surroundings } from './purchase-missing.ts'
import { outOfOrder, repeats, unproved } from './arrival-oddities.ts'
import { idsOf, type PurchaseStage } from './purchase-stages.ts'
import { groupRefunds, odditiesOfRefund, refundTotals } from './refund-oddities.ts'
import { spanText } from './spans.ts'
import { moneyText, type TransactionFacts } from './transaction-facts.ts'

/** The purchases that an unmatched refund, or the auths that a clearing alone, could belong to. */
export interface Candidates {
  readonly purchases: readonly TransactionFacts[]
}

/** In the order in which they matter: amounts, what is missing, refunds, arrivals. */
export function odditiesOfPurchase(stages: readonly PurchaseStage[], around: Surroundings, candidates: Candidates): Oddity[] {
  const proved = stages.filter((stage) => stage.isProved)
  const own = proved.filter(({ isOfRefund }) => !isOfRefund)
  const auth = own.find(({ base }) => base === 'auth')
  const clearing = own.find(({ base }) => base === 'clearing')
  const refunds = groupRefunds(proved)
  return [
    ...amountDrift(own),
    ...currencyChange(proved),
    ...(auth === undefined && clearing !== undefined ? [clearingWithoutAuth(clearing, around, candidates)] : []),
    ...(auth !== undefined && clearing === undefined ? uncleared(auth, around) : []),
    ...refunds.flatMap((refund) => odditiesOfRefund(refund, candidates.purchases)),
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

function clearingWithoutAuth(clearing: PurchaseStage, { hasHook }: Surroundings, { purchases }: Candidates): Oddity {
  const likely = purchases.find(
    (other) => other.base === 'auth' && other.id !== clearing.facts.id && isAlike(other, clearing.facts),
  )
  const why = hasHook('transaction.auth')
    ? 'The location does not report auths for this scheme, or the auth came before capture began.'
    : 'No hook is registered for transaction.auth.'
  return {
    code: 'clearing-without-auth',
    level: 'warn',
    message:
      likely === undefined
        ? `This clearing has no auth. ${why}`
        : `This clearing has no auth of its id, but the auth ${likely.id} is of the same card, location, amount and time.`,
    fix: 'Let your handler create the purchase from a clearing alone: auths are sent only for auth-enabled locations.',
    deliveryIds: [...idsOf(clearing), ...(likely === undefined ? [] : [likely.delivery.id])],
  }
}

/** What the service itself identifies a purchase by (section 6.3): card, location, merchant, amount and time. */
function isAlike(one: TransactionFacts, other: TransactionFacts): boolean {
  return (
    one.cardId !== null &&
    one.cardId === other.cardId &&
    one.locationId === other.locationId &&
    one.amount !== null &&
    other.amount !== null &&
    sameNumber(one.amount, other.amount) &&
    one.paidAt === other.paidAt
  )
}

function uncleared(auth: PurchaseStage, { now, hasHook }: Surroundings): Oddity[] {
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
