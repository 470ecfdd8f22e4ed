/** Payments: authorised in real time, cleared days later, refunded, and qualified for an offer (sections 2.6, 2.7, 6.2 and 6.3). */
import { AppError } from '../../shared/contract/errors.ts'
import type { OfferQualification } from '../../shared/service/offer-qualification.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import { setPaths } from './payload-edit.ts'
import { localTimeAt, roundAmount } from './places.ts'
import { newPurchase } from './purchase.ts'
import { createRandom } from './random.ts'
import type { Offer, Payment } from './records.ts'
import type { Emission, Scene, Story } from './scene.ts'
import { iso, makeOffer } from './world.ts'

const HOUR = 3_600_000

/** A purchase at the moment of payment, with the card or at the location that is named. */
export function authStory(scene: Scene, qualified: boolean): Story {
  const { of, objects, mode } = scene
  if (of !== undefined && (objects.find('card', of, mode) ?? objects.find('location', of, mode)) === undefined) {
    throw new AppError('NOT_FOUND', `There is no card or location ${of} in ${scene.environment}, which a purchase could be of.`)
  }
  const payment = edited(scene, newPurchase(scene, 0, offerIdOf(scene, qualified)), qualified)
  if (qualified) requireQualified(scene, payment)
  return story(payment, emissionsOf('transaction.auth', payment, qualified))
}

/** The settlement of a purchase. It keeps the id of the auth. */
export function clearingStory(scene: Scene, qualified: boolean): Story {
  const open = purchaseToClear(scene, qualified)
  const offerId = qualified ? (open.offerId ?? offerOf(scene).id) : null
  const cleared: Payment = {
    ...open,
    offerId: offerId ?? open.offerId,
    transaction: { ...open.transaction, cleared: true, updated: iso(scene.making.now) },
  }
  const payment = edited(scene, cleared, qualified)
  if (qualified) requireQualified(scene, payment)
  return story(payment, emissionsOf('transaction.clearing', payment, qualified))
}

/** The clearing before the auth that it settles: the same two events as in life, in the wrong order. */
export function clearingFirstStory(scene: Scene, qualified: boolean): Story {
  const open = edited(scene, newPurchase(scene, 0, offerIdOf(scene, qualified)), qualified)
  const cleared: Payment = { ...open, transaction: { ...open.transaction, cleared: true, updated: iso(scene.making.now) } }
  return story(cleared, [
    ...emissionsOf('transaction.clearing', cleared, qualified),
    ...emissionsOf('transaction.auth', open, qualified),
  ])
}

/** A refund, with its clearing: matched to the purchase named, else without a match (section 6.3). */
export function refundStory(scene: Scene, qualified: boolean): Story {
  const random = createRandom(scene.making.seed, 'refund')
  const id = random.uuid()
  const original = scene.of === undefined ? null : namedPayment(scene, scene.of)
  if (original !== null && original.transaction.amount < 0) {
    throw new AppError('INVALID_INPUT', `${original.id} is a refund itself. Name the purchase that is refunded.`)
  }
  const purchase = original ?? newPurchase(scene, random.integer(5 * 24, 20 * 24) * HOUR, offerIdOf(scene, qualified))
  const { originalTransactionId: _, ...source } = purchase.transaction
  const zone = source.location.timezone
  const unmatched: Payment = {
    id,
    offerId: qualified ? (purchase.offerId ?? offerOf(scene).id) : null,
    transaction: {
      ...source,
      id,
      datetime: localTimeAt(scene.making.now, zone),
      created: iso(scene.making.now),
      updated: iso(scene.making.now),
      auth: false,
      cleared: true,
      amount: -source.amount,
    },
  }
  const refunded = edited(scene, unmatched, qualified)
  // The amount is one of the things that the service identifies a purchase by: a refund of a part is not matched.
  const matched = original !== null && refunded.transaction.amount === -original.transaction.amount
  const payment: Payment = matched
    ? { ...refunded, transaction: { ...refunded.transaction, originalTransactionId: original.id } }
    : refunded
  const [plain, ...twins] = emissionsOf('transaction.refund', payment, qualified)
  const clearing = emissionsOf('transaction.clearing', payment, false)
  const made = story(payment, [...(plain === undefined ? [] : [plain]), ...clearing, ...twins])
  return { ...made, objects: { ...made.objects, ...(matched ? { originalTransaction: original.id } : {}) } }
}

/** The plain event, whose offer is null, and for a qualifying transaction its twin with the offer. */
function emissionsOf(
  event: 'transaction.auth' | 'transaction.clearing' | 'transaction.refund',
  payment: Payment,
  qualified: boolean,
): Emission[] {
  const emission = (name: ShownEventType, offer: OfferQualification | null): Emission => ({
    event: name,
    payload: { ...payment.transaction, offer },
    programId: payment.transaction.programId,
    offerId: offer?.id ?? null,
  })
  const plain = emission(event, null)
  return qualified ? [plain, emission(`${event}.qualified`, payment.transaction.offer)] : [plain]
}

/**
 * A purchase qualifies within the offer's period and under its rules; a refund does even after the offer has ended, because it
 * is matched to its purchase (section 6.2).
 */
function requireQualified(scene: Scene, { offerId, transaction }: Payment): void {
  const offer = offerOf(scene, offerId ?? undefined)
  const refuse = (why: string) => {
    throw new AppError('INVALID_INPUT', `The transaction does not qualify for the offer ${offer.id}: ${why} (section 6.2).`)
  }
  if (transaction.created < offer.startsAt) refuse(`the offer starts at ${offer.startsAt}`)
  if (offer.endsAt !== null && transaction.created > offer.endsAt) refuse(`the offer ended at ${offer.endsAt}`)
  if (transaction.amount < offer.minimumAmount) refuse(`it takes an amount of at least ${offer.minimumAmount}`)
}

/** The parts of an amount that an offer gives; negative for a refund, which takes them back. */
function qualification(scene: Scene, payment: Payment): OfferQualification {
  const offer = offerOf(scene, payment.offerId ?? undefined)
  const { amount, currency } = payment.transaction
  return {
    qualified: true,
    id: offer.id,
    message: [],
    qualificationDate: iso(scene.making.now),
    cashback: roundAmount(amount * offer.cashbackRate, currency),
    performanceFee: roundAmount(amount * offer.feeRate, currency),
  }
}

function offerIdOf(scene: Scene, qualified: boolean): string | null {
  return qualified ? offerOf(scene).id : null
}

function offerOf(scene: Scene, named?: string): Offer {
  const id = named ?? scene.offerId
  if (id !== undefined)
    return scene.objects.find('offer', id, scene.mode) ?? makeOffer(scene.making, 'offer', scene.program.id, id)
  const own = scene.objects.all('offer', scene.mode).find((offer) => offer.programId === scene.program.id)
  return own ?? makeOffer(scene.making, 'offer', scene.program.id)
}

/** The purchase that a clearing settles: the one named, that of the seed, the latest open one, or one made days ago. */
function purchaseToClear(scene: Scene, qualified: boolean): Payment {
  if (scene.of !== undefined) {
    const payment = namedPayment(scene, scene.of)
    if (payment.transaction.cleared) {
      throw new AppError('INVALID_INPUT', `The transaction ${payment.id} is already cleared. Name one whose auth is still open.`)
    }
    return payment
  }
  const wait = createRandom(scene.making.seed, 'clearing').integer(48, 72) * HOUR
  const fresh = newPurchase(scene, wait, offerIdOf(scene, qualified))
  const known = scene.objects.find('payment', fresh.id, scene.mode)
  if (known !== undefined) return known
  if (scene.seeded) return fresh
  const open = scene.objects
    .all('payment', scene.mode)
    .filter(({ transaction }) => transaction.auth && !transaction.cleared && transaction.programId === scene.program.id)
    .sort((left, right) => left.transaction.created.localeCompare(right.transaction.created))
  return open.at(-1) ?? fresh
}

function namedPayment(scene: Scene, id: string): Payment {
  const payment = scene.objects.find('payment', id, scene.mode)
  if (payment !== undefined) return payment
  throw new AppError(
    'NOT_FOUND',
    `There is no transaction ${id} in ${scene.environment}. Make one with \`countersign trigger transaction.auth --environment ${scene.environment}\`; it prints its id.`,
  )
}

/**
 * The payment after `--set`: what the caller changed is kept, so that its clearing and refund agree with it. Offers are
 * judged on the amount as changed, and their own fields are set last.
 */
function edited(scene: Scene, payment: Payment, qualified: boolean): Payment {
  const entries = Object.entries(scene.set)
  const ofOffer = ([path]: [string, unknown]) => path === 'offer' || path.startsWith('offer.')
  const changed = setPaths(payment.transaction, Object.fromEntries(entries.filter((entry) => !ofOffer(entry))))
  const judged: Payment = { ...payment, id: changed.id, transaction: changed }
  const offer = qualified ? qualification(scene, judged) : null
  return { ...judged, transaction: setPaths({ ...changed, offer }, Object.fromEntries(entries.filter(ofOffer))) }
}

function story(payment: Payment, emissions: readonly Emission[]): Story {
  const { transaction } = payment
  return {
    objects: {
      account: transaction.accountId,
      program: transaction.programId,
      brand: transaction.brand.id,
      location: transaction.location.id,
      card: transaction.card.id,
      transaction: transaction.id,
      ...(payment.offerId === null ? {} : { offer: payment.offerId }),
    },
    emissions,
    changes: [{ kind: 'payment', data: { ...payment, transaction: { ...transaction, offer: null } } }],
  }
}
