/** Reads the facts of a transaction from one delivery (section 2.6), numbers as sent. Any field may be missing. */
import {
  memberOf,
  readJson,
  stringOf,
  textOf,
  type JsonDocument,
  type JsonNode,
  createInterner,
} from '../../shared/json/document.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'

export interface Source {
  readonly delivery: DeliveryRow
  readonly body: Uint8Array
}

export type TransactionBase = 'auth' | 'clearing' | 'refund'

export interface TransactionFacts {
  readonly delivery: DeliveryRow
  readonly body: string
  readonly event: string
  readonly base: TransactionBase
  readonly isQualified: boolean
  /** Whether it belongs to a refund: the refund itself or its clearing (section 6.3). */
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

const eventPattern = /^transaction\.(auth|clearing|refund)(\.qualified)?$/

/** A delivery's event: verified, inferred from its fields, or the first that they match. */
export function likelyEvent(delivery: DeliveryRow): string | null {
  return delivery.event ?? delivery.eventCandidates[0] ?? null
}

/** A body as a JSON document; null if it isn't JSON. */
export function documentOf(body: Uint8Array): JsonDocument | null {
  try {
    return readJson(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body),
      createInterner(),
    )
  } catch {
    // Not UTF-8, so it can't be read.
    return null
  }
}

/** Facts of a transaction event; null for other events, or if no transaction is named. */
export function transactionFacts({ delivery, body }: Source): TransactionFacts | null {
  const event = likelyEvent(delivery)
  const found = eventPattern.exec(event ?? '')
  const document = found === null ? null : documentOf(body)
  if (event === null || found === null || document === null) return null
  const { root } = document
  const text = (node: JsonNode | null) => (node === null ? null : stringOf(document, node))
  const at = (...path: string[]) =>
    path.reduce<JsonNode | null>((node, name) => memberOf(node, name), root)
  const number = (node: JsonNode | null) =>
    node?.kind === 'number' ? textOf(document, node) : null
  const id = text(at('id'))
  if (id === null) return null
  const base = found[1] as TransactionBase
  const amount = number(at('amount'))
  const authFlag = at('auth')
  // Both hold for a refund (section 6.3). If they disagree, the amount decides.
  const isReversed =
    amount === null
      ? authFlag !== null && textOf(document, authFlag) === 'false'
      : amount.startsWith('-')
  const offerId = text(at('offer', 'id'))
  const createdAt = timeOf(text(at('created')))
  return {
    delivery,
    body: document.text,
    event,
    base,
    isQualified: found[2] !== undefined,
    isOfRefund: base === 'refund' || (base === 'clearing' && isReversed),
    id,
    originalId: text(at('originalTransactionId')),
    amount,
    currency: text(at('currency')),
    offer: offerId === null ? null : { id: offerId, cashback: number(at('offer', 'cashback')) },
    paidAt: text(at('datetime')),
    happenedAt: timeOf(text(at('updated'))) ?? createdAt,
    createdAt,
    cardId: text(at('card', 'id')),
    locationId: text(at('location', 'id')),
    merchantId: text(at('identifiers', 'MID')),
  }
}

/** A UTC time in milliseconds since the epoch; null for anything else. A time without a zone is ambiguous. */
export function timeOf(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** Whether the signature verifies the delivery. Only then are its contents facts; claims in an imported file aren't. */
export function isProved({ delivery }: Pick<Source, 'delivery'>): boolean {
  return delivery.verdict === 'valid' && delivery.verifiedHere
}

/** `12.50 GBP`, the number as sent. */
export function moneyText({
  amount,
  currency,
}: Pick<TransactionFacts, 'amount' | 'currency'>): string {
  return `${amount ?? 'no amount'}${currency === null ? '' : ` ${currency}`}`
}
