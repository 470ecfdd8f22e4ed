/**
 * Deliveries of one card that may belong together although neither names the other (section 6.3).
 */
import { isSameNumber } from '../../shared/json/number.ts'
import type { TransactionFacts } from './transaction-facts.ts'
import type { PurchaseStage } from './purchase-stages.ts'

interface LikelyMatch extends TransactionFacts {
  readonly isOfSameLocation: boolean
}

/** Finds the first match at the same location, otherwise the first of unknown location. */
export function findLikeliest(
  facts: PurchaseStage,
  ofCard: readonly TransactionFacts[],
  isPossible: (other: TransactionFacts) => boolean,
): LikelyMatch | null {
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
  const isOfSameLocation = (other: TransactionFacts) =>
    other.locationId !== null && other.locationId === facts.locationId
  const match = possible.find(isOfSameLocation) ?? possible[0]
  return match === undefined ? null : { ...match, isOfSameLocation: isOfSameLocation(match) }
}

/** Whether amount and time allow that `refund` pays back `purchase`. */
export function isRefundedBy(purchase: TransactionFacts, refund: TransactionFacts): boolean {
  return (
    !purchase.isOfRefund &&
    (purchase.happenedAt ?? 0) <= (refund.happenedAt ?? Number.POSITIVE_INFINITY) &&
    purchase.amount !== null &&
    refund.amount !== null &&
    isSameNumber(`-${purchase.amount}`, refund.amount)
  )
}

export function hasSameAmountAndTime(one: TransactionFacts, other: TransactionFacts): boolean {
  return (
    one.amount !== null &&
    other.amount !== null &&
    isSameNumber(one.amount, other.amount) &&
    one.paidAt !== null &&
    one.paidAt === other.paidAt
  )
}
