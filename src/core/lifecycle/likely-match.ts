/**
 * Finds deliveries that may belong together although neither names the other, by what identifies a purchase (section 6.3): card,
 * location, merchant, amount and time. All are of one card. Pure.
 */
import { sameNumber } from '../../shared/json/document.ts'
import type { TransactionFacts } from './transaction-facts.ts'

interface LikelyMatch {
  readonly facts: TransactionFacts
  /** Whether both name the location, so it is the same. */
  readonly isOfSamePlace: boolean
}

/** The purchase that a refund without `originalTransactionId` may belong to. */
export function purchaseOfRefund(
  refund: TransactionFacts,
  ofCard: readonly TransactionFacts[],
): LikelyMatch | null {
  return likeliest(
    refund,
    ofCard.filter((other) => !other.isOfRefund && isGivenBack(other, refund)),
  )
}

/** A refund that names no purchase and may belong to this one. */
export function refundOfPurchase(
  purchase: TransactionFacts,
  ofCard: readonly TransactionFacts[],
): LikelyMatch | null {
  const named = new Set(ofCard.filter(({ originalId }) => originalId !== null).map(({ id }) => id))
  return likeliest(
    purchase,
    ofCard.filter(
      (other) => other.isOfRefund && !named.has(other.id) && isGivenBack(purchase, other),
    ),
  )
}

/** The auth, with another id, of a clearing without an auth. */
export function authOfClearing(
  clearing: TransactionFacts,
  ofCard: readonly TransactionFacts[],
): LikelyMatch | null {
  return likeliest(
    clearing,
    ofCard.filter((other) => other.base === 'auth' && isAlike(other, clearing)),
  )
}

/** A clearing without an auth of the same id that may belong to this one. */
export function clearingOfAuth(
  auth: TransactionFacts,
  ofCard: readonly TransactionFacts[],
): LikelyMatch | null {
  const authorised = new Set(ofCard.filter(({ base }) => base === 'auth').map(({ id }) => id))
  return likeliest(
    auth,
    ofCard.filter(
      (other) =>
        other.base === 'clearing' &&
        !other.isOfRefund &&
        !authorised.has(other.id) &&
        isAlike(auth, other),
    ),
  )
}

/** The first at the same location, otherwise the first whose location is unknown. */
function likeliest(
  facts: TransactionFacts,
  others: readonly TransactionFacts[],
): LikelyMatch | null {
  const possible = others.filter(
    (other) =>
      other.id !== facts.id &&
      agree(other.currency, facts.currency) &&
      agree(other.locationId, facts.locationId) &&
      agree(other.merchantId, facts.merchantId),
  )
  const isOfSamePlace = (other: TransactionFacts) =>
    other.locationId !== null && other.locationId === facts.locationId
  const found = possible.find(isOfSamePlace) ?? possible[0]
  return found === undefined ? null : { facts: found, isOfSamePlace: isOfSamePlace(found) }
}

/** A missing value matches anything. */
function agree(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other
}

function isGivenBack(purchase: TransactionFacts, refund: TransactionFacts): boolean {
  return (
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
