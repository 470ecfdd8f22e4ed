/** Decides whether a transaction qualifies for an offer (sections 2.7 and 6.2). */
import type { OfferQualification, Transaction } from '../../shared/service/resources.ts'
import type { EventContext } from './event-context.ts'
import type { Offer, Payment } from './records.ts'
import { iso } from './world.ts'
import { roundAmount } from './local-values.ts'

/** Offer of a transaction, or the reason against it, as a sentence's end. */
export type Qualification =
  | { readonly offer: Offer }
  | { readonly offer: null; readonly reason: string }

/** Qualifies a refund like its purchase, even after the offer's end. */
export function qualifyRefund(
  context: EventContext,
  { transaction }: Payment,
  original: Payment | null,
): Qualification {
  if (original === null)
    return qualifyPurchase(context, null, Date.parse(transaction.created), -transaction.amount)
  const offer =
    original.offerId === null
      ? undefined
      : context.records.find('offer', original.offerId, context.mode)
  return offer === undefined
    ? { offer: null, reason: "the refunded purchase didn't qualify for an offer" }
    : { offer }
}

export function qualifyPurchase(
  context: EventContext,
  earlierOfferId: string | null,
  paidAt: number,
  amount: number,
): Qualification {
  const reasons: string[] = []
  for (const offer of offersOf(context, earlierOfferId)) {
    const obstacle = obstacleTo(offer, paidAt, amount)
    if (obstacle === null) return { offer }
    reasons.push(`the offer ${offer.id} ${obstacle}`)
  }
  return { offer: null, reason: reasons[0] ?? 'its program has no offer' }
}

/** Returns the earlier offer, those that hooks request, then the rest. */
function offersOf(
  { records, mode, program, offerIds }: EventContext,
  earlierOfferId: string | null,
): Offer[] {
  const preferred = [...(earlierOfferId === null ? [] : [earlierOfferId]), ...offerIds]
  const rank = ({ id }: Offer) =>
    preferred.includes(id) ? preferred.indexOf(id) : preferred.length
  return records
    .all('offer', mode)
    .filter(({ programId }) => programId === program.id)
    .sort((a, b) => rank(a) - rank(b))
}

function obstacleTo(
  { startsAt, endsAt, minimumAmount }: Offer,
  paidAt: number,
  amount: number,
): string | null {
  if (paidAt < Date.parse(startsAt)) return `starts at ${startsAt}`
  if (endsAt !== null && paidAt > Date.parse(endsAt)) return `ended at ${endsAt}`
  if (amount < minimumAmount) return `requires an amount of at least ${minimumAmount}`
  return null
}

/** Returns the payload's offer; negative for a refund. */
export function offerPayload(
  context: EventContext,
  offer: Offer,
  { amount, currency }: Transaction,
): OfferQualification {
  const part = (rate: number) =>
    Number.isFinite(amount * rate) ? roundAmount(amount * rate, currency) : 0
  return {
    qualified: true,
    id: offer.id,
    message: [],
    qualificationDate: iso(context.now),
    cashback: part(offer.cashbackRate),
    performanceFee: part(offer.feeRate),
  }
}
