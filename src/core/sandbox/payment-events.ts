/** Simulates payments and refunds (sections 2.6, 2.7, 6.2 and 6.3). */
import { AppError } from '../../shared/contract/errors.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { OfferQualification } from '../../shared/service/resources.ts'
import type { EventContext, SimulatedEvent, Emission } from './event-context.ts'
import { setFieldsBeyond, setFieldsOf } from './object-events.ts'
import { setPathsKeepingObjects } from './payload-paths.ts'
import { newPurchase } from './purchases.ts'
import {
  qualifyPurchase,
  qualifyRefund,
  type Qualification,
  offerPayload,
} from './qualification.ts'
import type { Payment } from './records.ts'
import { iso } from './world.ts'
import { localTimeAt } from './local-values.ts'
import { createRandom } from './random.ts'

const HOUR_MS = 3_600_000

/** Simulates a purchase with the named card or location. */
export function simulateAuth(context: EventContext): SimulatedEvent {
  const { of: aboutId, records, mode } = context
  if (
    aboutId !== undefined &&
    (records.find('card', aboutId, mode) ?? records.find('location', aboutId, mode)) === undefined
  ) {
    throw new AppError(
      'NOT_FOUND',
      `Card or location ${aboutId} not found in ${context.environment}.`,
    )
  }
  const qualified = qualifiedPurchase(context, newPurchase(context, 0, 'auth'))
  return simulatedPayment(qualified, emissionsOf('transaction.auth', qualified))
}

/** Simulates the settlement of a purchase; offers may have changed since. */
export function simulateClearing(context: EventContext): SimulatedEvent {
  const qualified = qualifiedPurchase(context, settledPayment(context, purchaseToClear(context)))
  return simulatedPayment(qualified, emissionsOf('transaction.clearing', qualified))
}

export function simulateClearingFirst(context: EventContext): SimulatedEvent {
  const open = qualifiedPurchase(context, newPurchase(context, 0, 'auth'))
  const clearedPayment = { ...open, payment: settledPayment(context, open.payment) }
  const inOrder = [
    ...emissionsOf('transaction.auth', open),
    ...emissionsOf('transaction.clearing', clearedPayment),
  ]
  return simulatedPayment(clearedPayment, inOrder.toReversed())
}

/** Qualifies a purchase for an offer by time and amount; its earlier offer is tried first. */
function qualifiedPurchase(context: EventContext, purchase: Payment): QualifiedPayment {
  const payment = withSetFields(context, purchase)
  const { created, amount } = payment.transaction
  const judgement = qualifyPurchase(context, payment.offerId, Date.parse(created), amount)
  return withOffer(context, payment, judgement)
}

function settledPayment(context: EventContext, payment: Payment): Payment {
  return {
    ...payment,
    transaction: { ...payment.transaction, cleared: true, updated: iso(context.now) },
  }
}

/** Simulates a refund of a named or unknown purchase (section 6.3). */
export function simulateRefund(context: EventContext): SimulatedEvent {
  const random = createRandom(context.seed, 'refund')
  const id = random.uuid()
  const named = context.of === undefined ? null : namedPayment(context, context.of)
  if (named !== null && named.transaction.amount < 0) {
    throw new AppError(
      'SANDBOX_STATE',
      `${named.id} is itself a refund. Use the refunded purchase.`,
    )
  }
  const purchase =
    named ?? newPurchase(context, random.integer(5 * 24, 20 * 24) * HOUR_MS, 'clearing')
  const { originalTransactionId: _, ...source } = purchase.transaction
  const unmatched = withSetFields(context, {
    id,
    offerId: null,
    clearsAt: null,
    transaction: {
      ...source,
      id,
      datetime: localTimeAt(context.now, source.location.timezone),
      created: iso(context.now),
      updated: iso(context.now),
      auth: false,
      cleared: true,
      amount: -source.amount,
    },
  })
  const original = originalOf(context, unmatched, named)
  const payment: Payment =
    original === null
      ? unmatched
      : {
          ...unmatched,
          transaction: { ...unmatched.transaction, originalTransactionId: original.id },
        }
  const qualified = withOffer(context, payment, qualifyRefund(context, payment, original))
  const [plain, ...qualifiedEmissions] = emissionsOf('transaction.refund', qualified)
  const clearing = emissionsOf('transaction.clearing', { ...qualified, qualifies: false })
  const simulated = simulatedPayment(qualified, [
    ...(plain === undefined ? [] : [plain]),
    ...clearing,
    ...qualifiedEmissions,
  ])
  return original === null
    ? simulated
    : { ...simulated, objects: { ...simulated.objects, originalTransaction: original.id } }
}

/**
 * Returns the refunded purchase by card, location, merchant id, amount and time (section 6.3): the
 * named one, otherwise the latest. A partial refund matches none.
 */
function originalOf(
  { records, mode }: EventContext,
  { transaction: refund }: Payment,
  named: Payment | null,
): Payment | null {
  const refundedAt = Date.parse(refund.created)
  const matches = records
    .all('payment', mode)
    .filter(
      ({ transaction }) =>
        transaction.amount > 0 &&
        transaction.amount === -refund.amount &&
        transaction.card.id === refund.card.id &&
        transaction.location.id === refund.location.id &&
        transaction.identifiers.MID === refund.identifiers.MID &&
        Date.parse(transaction.created) <= refundedAt,
    )
  const latest = matches
    .toSorted((a, b) => a.transaction.created.localeCompare(b.transaction.created))
    .at(-1)
  return matches.find(({ id }) => id === named?.id) ?? latest ?? null
}

interface QualifiedPayment {
  readonly payment: Payment
  readonly qualifies: boolean
}

/** Returns the plain event, and the .qualified one if the payment qualifies. */
function emissionsOf(
  event: 'transaction.auth' | 'transaction.clearing' | 'transaction.refund',
  { payment: { transaction }, qualifies }: QualifiedPayment,
): Emission[] {
  const withOfferOf = (name: ShownEventType, offer: OfferQualification | null): Emission => ({
    event: name,
    payload: { ...transaction, offer },
    programId: transaction.programId,
    offerId: offer?.id ?? null,
  })
  const plain = withOfferOf(event, null)
  return qualifies ? [plain, withOfferOf(`${event}.qualified`, transaction.offer)] : [plain]
}

/**
 * Returns the purchase to settle: the named, the seed's or the latest pending one, else a new
 * purchase, dated 48 to 72 hours back.
 */
function purchaseToClear(context: EventContext): Payment {
  if (context.of !== undefined) {
    const payment = namedPayment(context, context.of)
    if (payment.transaction.cleared) {
      throw new AppError(
        'SANDBOX_STATE',
        `Transaction ${payment.id} is already cleared. Use one that hasn't cleared yet.`,
      )
    }
    return payment
  }
  const wait = createRandom(context.seed, 'clearing').integer(48, 72) * HOUR_MS
  const fresh = newPurchase(context, wait, 'clearing')
  const stored = context.records.find('payment', fresh.id, context.mode)
  if (stored !== undefined) return stored
  if (context.seeded) return fresh
  const open = context.records
    .all('payment', context.mode)
    .filter(
      ({ transaction }) =>
        transaction.auth && !transaction.cleared && transaction.programId === context.program.id,
    )
    .sort((a, b) => a.transaction.created.localeCompare(b.transaction.created))
  return open.at(-1) ?? fresh
}

function namedPayment(context: EventContext, id: string): Payment {
  const payment = context.records.find('payment', id, context.mode)
  if (payment !== undefined) return payment
  throw new AppError(
    'NOT_FOUND',
    `Transaction ${id} not found in ${context.environment}. Create one with \`countersign trigger transaction.auth --environment ${context.environment}\`, which prints its id.`,
  )
}

/** Sets the caller's fields in the payment that is stored, so that clearing and refund agree. */
function withSetFields(context: EventContext, payment: Payment): Payment {
  const transaction = setPathsKeepingObjects(payment.transaction, setFieldsBeyond('offer', context))
  return { ...payment, id: transaction.id, transaction }
}

/**
 * Adds the offer. Keeps the stored offer id if no offer qualifies now, so that a later refund still
 * qualifies.
 */
function withOffer(
  context: EventContext,
  payment: Payment,
  judgement: Qualification,
): QualifiedPayment {
  if (judgement.offer === null && context.mustQualify) {
    throw new AppError(
      'SANDBOX_STATE',
      `The transaction doesn't qualify: ${judgement.reason} (spec 6.2).`,
    )
  }
  const { transaction } = payment
  const offer =
    judgement.offer === null ? null : offerPayload(context, judgement.offer, transaction)
  return {
    payment: {
      ...payment,
      offerId: judgement.offer?.id ?? payment.offerId,
      transaction: setPathsKeepingObjects({ ...transaction, offer }, setFieldsOf('offer', context)),
    },
    qualifies: offer !== null,
  }
}

function simulatedPayment(
  { payment }: QualifiedPayment,
  emissions: readonly Emission[],
): SimulatedEvent {
  const { transaction } = payment
  const { id, auth, cleared, card, created } = transaction
  return {
    objects: {
      account: transaction.accountId,
      program: transaction.programId,
      brand: transaction.brand.id,
      location: transaction.location.id,
      card: card.id,
      transaction: id,
      ...(payment.offerId === null ? {} : { offer: payment.offerId }),
    },
    emissions,
    changes: [
      {
        kind: 'payment',
        data: {
          ...payment,
          transaction: { ...transaction, offer: null },
          clearsAt: auth && !cleared ? settlementTime(id, card.scheme, Date.parse(created)) : null,
        },
      },
    ],
  }
}

const DAY_MS = 24 * HOUR_MS

const MIN_CLEARING_MS = 2 * DAY_MS

/** Interval of Visa's and American Express's clearings from midnight UTC. */
const CLEARING_SLOT_MS = 4 * HOUR_MS
/** Time of Mastercard's clearing after midnight UTC. */
const MASTERCARD_TIME_MS = 12 * HOUR_MS

/** Returns when a purchase is cleared, in milliseconds. */
export function settlementTime(transactionId: string, scheme: string, paidAt: number): number {
  const earliest = paidAt + MIN_CLEARING_MS
  if (scheme === 'mastercard') {
    const noon = Math.floor(earliest / DAY_MS) * DAY_MS + MASTERCARD_TIME_MS
    return noon >= earliest ? noon : noon + DAY_MS
  }
  const slots = createRandom(transactionId, 'clearing').integer(0, DAY_MS / CLEARING_SLOT_MS - 1)
  return Math.ceil(earliest / CLEARING_SLOT_MS) * CLEARING_SLOT_MS + slots * CLEARING_SLOT_MS
}
