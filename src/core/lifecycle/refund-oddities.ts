/** What is odd about the refunds of a purchase (section 6.3): each by itself, and all of them together. Pure. */
import { sameNumber } from '../../shared/json/number-form.ts'
import type { Oddity } from '../../shared/model/lifecycle.ts'
import { purchaseOfRefund, refundOfPurchase } from './likely-match.ts'
import { idsOf, type PurchaseStage } from './purchase-stages.ts'
import { moneyText, type TransactionFacts } from './transaction-facts.ts'

export interface Refund {
  readonly id: string
  readonly refund: PurchaseStage | undefined
  readonly clearing: PurchaseStage | undefined
  /** What came of it first, in the order of business. */
  readonly first: PurchaseStage
}

/** Each refund by its id, with the clearing that comes along with it. */
export function groupRefunds(proved: readonly PurchaseStage[]): Refund[] {
  const groups = Map.groupBy(
    proved.filter(({ isOfRefund }) => isOfRefund),
    ({ facts }) => facts.id,
  )
  return [...groups].flatMap(([id, stages]) => {
    const [first] = stages
    const find = (base: string) => stages.find((stage) => stage.base === base)
    return first === undefined ? [] : [{ id, refund: find('refund'), clearing: find('clearing'), first }]
  })
}

/** `ofCard`: what is proved of the same card, which it could belong to where it names no purchase. */
export function odditiesOfRefund({ id, refund, clearing, first }: Refund, ofCard: readonly TransactionFacts[]): Oddity[] {
  const found: Oddity[] = []
  if (first.facts.originalId === null) found.push(unmatchedRefund(first, ofCard))
  if (clearing !== undefined) {
    found.push(
      refund === undefined
        ? {
            code: 'negative-clearing',
            level: 'warn',
            message: `The clearing of ${moneyText(clearing.facts)} is negative: it settles a refund, but no transaction.refund with the id ${id} came.`,
            fix: 'Do not book it as a purchase. Tell the two apart by the sign of the amount, or by auth being false.',
            deliveryIds: idsOf(clearing),
          }
        : {
            code: 'negative-clearing',
            level: 'note',
            message: `The refund came twice, as the interface has it: as transaction.refund and as a negative transaction.clearing (${moneyText(clearing.facts)}).`,
            fix: 'Count it once: by its id, or by taking only one of the two events.',
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
        message: `The refund is of ${moneyText(refund.facts)}, its clearing of ${moneyText(clearing.facts)}.`,
        fix: 'Take the amount of the clearing: it is what was settled.',
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
        ? 'The refund names no purchase: the service did not identify the one that it refunds.'
        : likely.isOfSamePlace
          ? `The refund names no purchase; ${likely.facts.id} of the same card, location and amount may be the one.`
          : `The refund names no purchase; ${likely.facts.id} of the same card and amount may be the one. Not both name a location.`,
    fix: 'Do not require originalTransactionId. Match by card, location, merchant and amount, or put the refund aside for a person to look at.',
    deliveryIds: [...(likely === null ? [] : [likely.facts.delivery.id]), facts.delivery.id],
  }
}

/** The other way round: a refund of this card that names no purchase, and may be of this one. */
export function unmatchedOf(purchase: PurchaseStage | undefined, ofCard: readonly TransactionFacts[]): Oddity[] {
  const likely = purchase === undefined ? null : refundOfPurchase(purchase.facts, ofCard)
  if (purchase === undefined || likely === null) return []
  return [
    {
      code: 'unmatched-refund',
      level: 'note',
      message: `The refund ${likely.facts.id} names no purchase, and may be of this one: card${likely.isOfSamePlace ? ', location' : ''} and amount are the same.`,
      fix: 'Nothing proves that they belong together. A handler that looks for the purchase of a refund would find this one.',
      deliveryIds: [...idsOf(purchase), likely.facts.delivery.id],
    },
  ]
}

/** More was given back than was paid. */
export function refundTotals(purchase: PurchaseStage | undefined, refunds: readonly Refund[]): Oddity[] {
  if (purchase === undefined || refunds.length === 0 || purchase.facts.amount === null) return []
  const given = refunds.reduce((sum, { refund, first }) => sum - Number((refund ?? first).facts.amount ?? 0), 0)
  const paid = Number(purchase.facts.amount)
  // Amounts have a few decimals; the sum of doubles is a hair beside.
  if (given <= paid + Math.abs(paid) * 1e-9) return []
  return [
    {
      code: 'refund-exceeds',
      level: 'warn',
      message: `${refunds.length === 1 ? 'The refund gives' : `${refunds.length} refunds give`} back ${Number(given.toFixed(6))}, more than the ${moneyText(purchase.facts)} paid.`,
      fix: 'Look whether one of them was counted twice, or belongs to another purchase.',
      deliveryIds: idsOf(purchase, ...refunds.map(({ first }) => first)),
    },
  ]
}
