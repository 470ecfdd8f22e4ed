/** Finds issues with the refunds of a purchase (section 6.3), each alone and all together. Pure. */
import { sameNumber } from '../../shared/json/document.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { purchaseOfRefund, refundOfPurchase } from './likely-match.ts'
import { idsOf, type PurchaseStage } from './purchase-stages.ts'
import { moneyText, type TransactionFacts } from './transaction-facts.ts'

export interface Refund {
  readonly id: string
  readonly refund: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  /** The first event received for this refund, in business order. */
  readonly first: PurchaseStage
}

/** Each refund by its id, with its clearing. */
export function groupRefunds(proved: readonly PurchaseStage[]): Refund[] {
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
export function odditiesOfRefund(
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
            message: `Negative clearing of ${moneyText(clearing.facts)}: it settles a refund, but no transaction.refund with the id ${id} was received.`,
            fix: "Don't count it as a purchase: the amount is negative and auth is false.",
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
export function unmatchedOf(
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
export function refundTotals(
  purchase: PurchaseStage | undefined,
  refunds: readonly Refund[],
): Oddity[] {
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
