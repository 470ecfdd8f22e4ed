import type { LifecycleFinding } from '../../shared/model/lifecycle.ts'
import { spanText } from '../../shared/text/time-text.ts'
import { isProved, type TransactionFacts } from './transaction-facts.ts'
import { findingOf } from './findings.ts'
import {
  type Purchase,
  type PurchaseStage,
  nameOf,
  paymentTime,
  CLEARING_TO_MS,
  type PurchaseRefund,
  hasOtherAmount,
  moneyText,
  inSentence,
} from './purchase-stages.ts'
import { findLikeliest, hasSameAmountAndTime, isRefundedBy } from './likely-match.ts'

/** Share of a sum of doubles that it may be off. */
const ROUNDING_TOLERANCE = 1e-9

/** Rules in the order in which findings are shown. */
export const purchaseRules: readonly ((purchase: Purchase) => Iterable<LifecycleFinding>)[] = [
  function* amountDrift({ own: [first, ...rest] }) {
    const other = rest.find((stage) => first !== undefined && hasOtherAmount(first, stage))
    if (first === undefined || other === undefined) return
    yield findingOf({
      level: 'warn',
      code: 'amount-drift',
      about: [first, other],
      message: `The amount changed from ${moneyText(first)} (${nameOf(first)}) to ${moneyText(other)} (${nameOf(other)}).`,
      fix: "Use the clearing's amount, which is the settled one. Tips, fuel and deposits are authorized with a different amount.",
    })
  },
  function* currencyChange({ proved }) {
    const [first, ...rest] = proved.filter(({ currency }) => currency !== null)
    const other = rest.find(({ currency }) => currency !== first?.currency)
    if (first === undefined || other === undefined) return
    yield findingOf({
      level: 'warn',
      code: 'currency-change',
      about: [first, other],
      message: `The currency changed from ${first.currency} (${nameOf(first)}) to ${other.currency} (${nameOf(other)}).`,
      fix: "Don't add these amounts. Store the currency with each amount, and ask the service which one the offer uses.",
    })
  },
  function* clearingWithoutAuth({ auth, clearing, hasHook, ofCard }) {
    if (auth !== undefined || clearing === undefined) return
    const likely = findLikeliest(
      clearing,
      ofCard,
      (other) => other.base === 'auth' && hasSameAmountAndTime(other, clearing),
    )
    const why = hasHook('transaction.auth')
      ? "The location doesn't report auths for this scheme, or the auth was sent before capture began."
      : 'No hook is registered for transaction.auth.'
    yield findingOf({
      level: 'warn',
      code: 'clearing-without-auth',
      about: [...(likely === null ? [] : [likely]), clearing],
      message:
        likely === null
          ? `Clearing without an auth. ${why}`
          : `Clearing without an auth of the same id, but the auth ${likely.id} has the same card, ${likely.isOfSameLocation ? 'location, ' : ''}amount and time.`,
      fix: 'Create the purchase from the clearing alone if needed. Auths are sent only for auth-enabled locations.',
    })
  },
  /** Finds a clearing without an auth of the same id that may belong to this purchase. */
  function* clearingElsewhere({ auth, clearing, ofCard }) {
    if (auth === undefined || clearing !== undefined) return
    const authorised = new Set(ofCard.filter(({ base }) => base === 'auth').map(({ id }) => id))
    const likely = findLikeliest(
      auth,
      ofCard,
      (other) =>
        other.base === 'clearing' &&
        !other.isOfRefund &&
        !authorised.has(other.id) &&
        hasSameAmountAndTime(auth, other),
    )
    if (likely === null) return
    yield findingOf({
      level: 'note',
      code: 'clearing-without-auth',
      about: [auth, likely],
      message: `The clearing ${likely.id} has no auth and may belong to this purchase: same card, ${likely.isOfSameLocation ? 'location, ' : ''}amount and time.`,
      fix: "This match isn't certain. Ask the service why the ids differ.",
    })
  },
  function* uncleared({ auth, clearing, now, hasHook }) {
    if (auth === undefined || clearing !== undefined) return
    const paidAt = paymentTime(auth)
    if (paidAt === null || now - paidAt <= CLEARING_TO_MS || !hasHook('transaction.clearing'))
      return
    yield findingOf({
      level: 'warn',
      code: 'uncleared',
      about: [auth],
      message: `Still not cleared ${spanText(now - paidAt)} after the payment. A clearing usually follows within 48 to 72 hours.`,
      fix: 'Treat it as pending, not as earned: it may have been reversed. Look for a clearing with another id, and ask the service.',
    })
  },
  ({ refunds, ofCard }) => refunds.flatMap((refund) => [...refundFindings(refund, ofCard)]),
  /** Finds a refund of this card that names no purchase and may belong to this one. */
  function* unmatchedElsewhere({ auth, clearing, ofCard }) {
    const own = auth ?? clearing
    if (own === undefined) return
    const matched = new Set(
      ofCard.filter(({ originalId }) => originalId !== null).map(({ id }) => id),
    )
    const likely = findLikeliest(
      own,
      ofCard,
      (other) => other.isOfRefund && !matched.has(other.id) && isRefundedBy(own, other),
    )
    if (likely === null) return
    yield findingOf({
      level: 'note',
      code: 'unmatched-refund',
      about: [own, likely],
      message: `The refund ${likely.id} names no purchase and may belong to this one: same card${likely.isOfSameLocation ? ', location' : ''} and amount.`,
      fix: "This match isn't certain. A handler that looks for the refund's purchase would find this one.",
    })
  },
  function* refundTotals({ auth, clearing, refunds }) {
    const own = auth ?? clearing
    if (own === undefined || refunds.length === 0 || own.amount === null) return
    const firsts = refunds.map(({ first }) => first)
    const refunded = firsts.reduce((sum, { amount }) => sum - Number(amount ?? 0), 0)
    const paid = Number(own.amount)
    if (refunded <= paid + Math.abs(paid) * ROUNDING_TOLERANCE) return
    yield findingOf({
      level: 'warn',
      code: 'refund-exceeds',
      about: [own, ...firsts],
      message: `${refunds.length === 1 ? 'One refund pays' : `${refunds.length} refunds pay`} back ${Number(refunded.toFixed(6))}, more than the ${moneyText(own)} paid.`,
      fix: 'Check whether one was counted twice or belongs to another purchase.',
    })
  },
  function* outOfOrder({ auth, clearing, refunds }) {
    const steps = [
      { earlier: auth, later: clearing },
      ...refunds.map(({ first }) => ({ earlier: clearing ?? auth, later: first })),
    ]
    for (const { earlier, later } of steps) {
      if (earlier === undefined || later === undefined) continue
      const { delivery: before } = earlier
      const { delivery: after } = later
      if (before.seq < after.seq) continue
      const ahead = Date.parse(before.receivedAt) - Date.parse(after.receivedAt)
      yield findingOf({
        level: 'warn',
        code: 'out-of-order',
        about: [earlier, later],
        message: `${inSentence(later)} arrived ${spanText(ahead)} before ${inSentence(earlier)}.`,
        fix: 'Deliveries can arrive out of order. Accept them in any order and rely on the times in the payload.',
      })
    }
  },
]

function* refundFindings(
  { refund, clearing, first }: PurchaseRefund,
  ofCard: readonly TransactionFacts[],
): Generator<LifecycleFinding> {
  if (first.originalId === null) {
    const likely = findLikeliest(first, ofCard, (other) => isRefundedBy(other, first))
    yield findingOf({
      level: 'warn',
      code: 'unmatched-refund',
      about: [...(likely === null ? [] : [likely]), first],
      message:
        likely === null
          ? "The refund has no originalTransactionId: the service couldn't match it."
          : `The refund has no originalTransactionId. Possible match: ${likely.id} (same card${likely.isOfSameLocation ? ', location and amount' : ' and amount; location unknown'}).`,
      fix: "Don't require originalTransactionId. Match by card, location, merchant and amount, or queue the refund for manual review.",
    })
  }
  if (clearing === undefined) return
  if (refund === undefined) {
    yield findingOf({
      level: 'warn',
      code: 'negative-clearing',
      about: [clearing],
      message: `A clearing of ${moneyText(clearing)} settles a refund, but no transaction.refund with the id ${first.id} was received.`,
      fix: `Don't count it as a purchase: ${clearing.amount === null ? 'auth is false' : 'the amount is negative'}.`,
    })
    return
  }
  yield findingOf({
    level: 'note',
    code: 'negative-clearing',
    about: [refund, clearing],
    message: `The refund was reported twice, as specified: as transaction.refund and as a negative transaction.clearing (${moneyText(clearing)}).`,
    fix: 'Count it once, by its id or by handling only one of the two events.',
  })
  if (hasOtherAmount(refund, clearing))
    yield findingOf({
      level: 'warn',
      code: 'amount-drift',
      about: [refund, clearing],
      message: `The refund is ${moneyText(refund)}, its clearing ${moneyText(clearing)}.`,
      fix: "Use the clearing's amount, which is the settled one.",
    })
}

/** Finds events sent again after an acknowledgement, or with different content. */
export function* repeatFindings(stage: PurchaseStage): Generator<LifecycleFinding> {
  const proved = stage.all.filter(isProved)
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    yield findingOf({
      level: 'warn',
      code: 'duplicate',
      about: duplicates,
      message: `The ${inSentence(stage)} was delivered again ${duplicates.length === 1 ? '' : `${duplicates.length} times `}after it was acknowledged.`,
      fix: 'Detect repeats by transaction id and event, and return 200 without processing them twice.',
    })
  const other = proved.find(({ body }) => body !== stage.body)
  if (other !== undefined)
    yield findingOf({
      level: 'warn',
      code: 'content-differs',
      about: [stage, other],
      message: `The ${inSentence(stage)} was delivered more than once with different content.`,
      fix: 'Compare the deliveries. If only times differ, use the later one. If the amount differs, ask the service.',
    })
}
