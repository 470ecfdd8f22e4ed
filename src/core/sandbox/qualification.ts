/**
 * Whether a transaction qualifies for an offer of its program, and for which (sections 2.7 and 6.2 of the interface). A purchase
 * does within the offer's period and under its rules. A refund that was matched to its purchase does where that one did, also
 * after the offer has ended.
 */
import type { OfferQualification } from '../../shared/service/offer-qualification.ts'
import type { Transaction } from '../../shared/service/transaction.ts'
import { roundAmount } from './places.ts'
import type { Offer, Payment } from './records.ts'
import type { Scene } from './scene.ts'
import { iso } from './world.ts'

/** The offer that a transaction qualifies for, or why it does for none, as the end of a sentence. */
export type Qualification = { readonly offer: Offer } | { readonly offer: null; readonly reason: string }

/** A purchase, or its clearing: by when it was paid, and its amount. The offer that it qualified for before goes before others. */
export function judgePurchase(scene: Scene, { offerId, transaction }: Payment): Qualification {
  return judge(scene, offerId, Date.parse(transaction.created), transaction.amount)
}

/** A refund: like the purchase that it was matched to; without one, by its own time and its amount. */
export function judgeRefund(scene: Scene, { transaction }: Payment, original: Payment | null): Qualification {
  if (original === null) return judge(scene, null, Date.parse(transaction.created), -transaction.amount)
  const offer = original.offerId === null ? undefined : scene.objects.find('offer', original.offerId, scene.mode)
  return offer === undefined ? { offer: null, reason: 'the purchase that it refunds did not qualify for an offer' } : { offer }
}

function judge(scene: Scene, before: string | null, paidAt: number, amount: number): Qualification {
  const reasons: string[] = []
  for (const offer of offersOf(scene, before)) {
    const obstacle = obstacleTo(offer, paidAt, amount)
    if (obstacle === null) return { offer }
    reasons.push(`the offer ${offer.id} ${obstacle}`)
  }
  return { offer: null, reason: reasons[0] ?? 'its program has no offer' }
}

/** The offers of the program: the one that it qualified for before, those that hooks ask for, the others. */
function offersOf({ objects, mode, program, offerIds }: Scene, before: string | null): Offer[] {
  const wanted = [...(before === null ? [] : [before]), ...offerIds]
  const rank = ({ id }: Offer) => (wanted.includes(id) ? wanted.indexOf(id) : wanted.length)
  return objects
    .all('offer', mode)
    .filter(({ programId }) => programId === program.id)
    .sort((left, right) => rank(left) - rank(right))
}

function obstacleTo({ startsAt, endsAt, minimumAmount }: Offer, paidAt: number, amount: number): string | null {
  if (paidAt < Date.parse(startsAt)) return `starts at ${startsAt}`
  if (endsAt !== null && paidAt > Date.parse(endsAt)) return `ended at ${endsAt}`
  if (amount < minimumAmount) return `takes an amount of at least ${minimumAmount}`
  return null
}

/** What the payload says of it: the parts of the amount that the offer gives; negative for a refund, which takes them back. */
export function qualificationFor(scene: Scene, offer: Offer, { amount, currency }: Transaction): OfferQualification {
  const part = (rate: number) => (Number.isFinite(amount * rate) ? roundAmount(amount * rate, currency) : 0)
  return {
    qualified: true,
    id: offer.id,
    message: [],
    qualificationDate: iso(scene.making.now),
    cashback: part(offer.cashbackRate),
    performanceFee: part(offer.feeRate),
  }
}
