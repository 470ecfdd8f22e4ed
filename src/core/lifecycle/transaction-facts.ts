import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { bodyFields, timeOf } from './body-fields.ts'

export interface Source {
  readonly delivery: DeliveryRow
  readonly body: Uint8Array
}

/** Returns the verified or inferred event, otherwise the first candidate. */
export function likelyEvent(delivery: DeliveryRow): string | null {
  return delivery.event ?? delivery.eventCandidates[0] ?? null
}

/** Whether the contents are facts, not an imported file's claims. */
export function isProved({ delivery }: Pick<Source, 'delivery'>): boolean {
  return delivery.verdict === 'valid' && delivery.verifiedHere
}

export interface TransactionFacts {
  readonly delivery: DeliveryRow
  readonly body: string
  readonly event: string
  readonly base: 'auth' | 'clearing' | 'refund'
  readonly isQualified: boolean
  /** Whether it is a refund or a refund's clearing (section 6.3). */
  readonly isOfRefund: boolean
  readonly id: string
  readonly originalId: string | null
  readonly amount: string | null
  readonly currency: string | null
  readonly offer: { readonly id: string; readonly cashback: string | null } | null
  /** Payment time as sent, without a time zone. */
  readonly paidAt: string | null
  /** `updated`, otherwise `created`, in milliseconds since the epoch. */
  readonly happenedAt: number | null
  readonly createdAt: number | null
  readonly cardId: string | null
  readonly locationId: string | null
  readonly merchantId: string | null
}

/** Returns the facts of a transaction event (section 2.6); null for anything else. */
export function transactionFacts({ delivery, body }: Source): TransactionFacts | null {
  const match = /^transaction\.(auth|clearing|refund)(\.qualified)?$/.exec(
    likelyEvent(delivery) ?? '',
  )
  const fields = match === null ? null : bodyFields(body)
  const id = fields?.string('id') ?? null
  if (match === null || fields === null || id === null) return null
  const { string, number } = fields
  const base = match[1] as TransactionFacts['base']
  const amount = number('amount')
  // A refund has a negative amount and `auth: false` (section 6.3); the amount decides.
  const isReversed = amount === null ? fields.isFalse('auth') : amount.startsWith('-')
  const offerId = string('offer.id')
  const createdAt = timeOf(string('created'))
  return {
    delivery,
    body: fields.body,
    event: match[0],
    base,
    isQualified: match[2] !== undefined,
    isOfRefund: base === 'refund' || (base === 'clearing' && isReversed),
    id,
    originalId: string('originalTransactionId'),
    amount,
    currency: string('currency'),
    offer: offerId === null ? null : { id: offerId, cashback: number('offer.cashback') },
    paidAt: string('datetime'),
    happenedAt: timeOf(string('updated')) ?? createdAt,
    createdAt,
    cardId: string('card.id'),
    locationId: string('location.id'),
    merchantId: string('identifiers.MID'),
  }
}
