/**
 * Decides whether a transaction qualifies for an offer of its program, and which (sections 2.7 and 6.2). A purchase qualifies
 * within the offer's period and rules. A refund matched to its purchase qualifies if that did, even after the offer has ended.
 */
import type { OfferQualification, Transaction } from '../../shared/service/transaction.ts'
import { roundAmount } from './places.ts'
import type { Offer, Payment } from './records.ts'
import type { Scene } from './scene.ts'
import { iso } from './world.ts'

/** The offer that a transaction qualifies for, or why it doesn't, as the end of a sentence. */
export type Qualification =
  { readonly offer: Offer } | { readonly offer: null; readonly reason: string }

/** A purchase or its clearing, by payment time and amount. The offer it qualified for before comes first. */
export function judgePurchase(scene: Scene, { offerId, transaction }: Payment): Qualification {
  return judge(scene, offerId, Date.parse(transaction.created), transaction.amount)
}

/** A refund qualifies like its matched purchase; without one, by its own time and amount. */
export function judgeRefund(
  scene: Scene,
  { transaction }: Payment,
  original: Payment | null,
): Qualification {
  if (original === null)
    return judge(scene, null, Date.parse(transaction.created), -transaction.amount)
  const offer =
    original.offerId === null
      ? undefined
      : scene.objects.find('offer', original.offerId, scene.mode)
  return offer === undefined
    ? { offer: null, reason: "the refunded purchase didn't qualify for an offer" }
    : { offer }
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

/** The program's offers: the one it qualified for before, those that hooks request, then the rest. */
function offersOf({ objects, mode, program, offerIds }: Scene, before: string | null): Offer[] {
  const wanted = [...(before === null ? [] : [before]), ...offerIds]
  const rank = ({ id }: Offer) => (wanted.includes(id) ? wanted.indexOf(id) : wanted.length)
  return objects
    .all('offer', mode)
    .filter(({ programId }) => programId === program.id)
    .sort((left, right) => rank(left) - rank(right))
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

/** The payload's offer fields: cashback and fee as parts of the amount; negative for a refund. */
export function qualificationFor(
  scene: Scene,
  offer: Offer,
  { amount, currency }: Transaction,
): OfferQualification {
  const part = (rate: number) =>
    Number.isFinite(amount * rate) ? roundAmount(amount * rate, currency) : 0
  return {
    qualified: true,
    id: offer.id,
    message: [],
    qualificationDate: iso(scene.making.now),
    cashback: part(offer.cashbackRate),
    performanceFee: part(offer.feeRate),
  }
}
