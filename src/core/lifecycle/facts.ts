/**
 * What one delivery says: the objects of the service that it names, so that the deliveries of one purchase can be linked, and the
 * facts of its transaction, numbers as sent (sections 2 and 6.3). Pure.
 */
import { childOf, readJson, type JsonNode } from '../../shared/json/tree.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { LinkKind, Oddity } from '../../shared/model/lifecycle.ts'

export interface ObjectLink {
  readonly kind: LinkKind
  readonly value: string
}

/** Ids of the service are UUIDs; anything longer isn't one. */
const LONGEST_ID = 100

/** The places of object ids in the payload of an event, or of all events of a group. */
const places: Readonly<Record<string, readonly (readonly [LinkKind, path: string])[]>> = {
  transaction: [
    ['purchase', 'id'],
    ['purchase', 'originalTransactionId'],
    ['card', 'card.id'],
    ['location', 'location.id'],
    ['brand', 'brand.id'],
    ['program', 'programId'],
    ['offer', 'offer.id'],
  ],
  location: [
    ['location', 'location.id'],
    ['brand', 'location.brandId'],
    ['program', 'location.programId'],
  ],
  'card.linked': [
    ['card', 'id'],
    ['program', 'programId'],
  ],
  'card.failed': [
    ['card', 'card.id'],
    ['program', 'card.programId'],
  ],
  brand: [['brand', 'id']],
  program: [['program', 'id']],
}

/** Links in a payload, by its event: the verified one, otherwise the first that its fields match. */
export function namedObjects(event: string, value: unknown): ObjectLink[] {
  const found = places[event] ?? places[event.split('.')[0] ?? ''] ?? []
  const seen = new Set<string>()
  return found.flatMap(([kind, path]): ObjectLink[] => {
    const id = path
      .split('.')
      .reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value)
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID || seen.has(kind + id))
      return []
    seen.add(kind + id)
    return [{ kind, value: id }]
  })
}

export interface Source {
  readonly delivery: DeliveryRow
  readonly body: Uint8Array
}

/** A delivery's event: verified, inferred from its fields, or the first that they match. */
export function likelyEvent(delivery: DeliveryRow): string | null {
  return delivery.event ?? delivery.eventCandidates[0] ?? null
}

/** Whether the signature verifies the delivery. Only then are its contents facts; claims in an imported file aren't. */
export function isProved({ delivery }: Pick<Source, 'delivery'>): boolean {
  return delivery.verdict === 'valid' && delivery.verifiedHere
}

/** The fields of a JSON body at dotted paths; null if it isn't JSON. */
export function bodyFields(body: Uint8Array) {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    // Not UTF-8, so it can't be read.
    return null
  }
  const root = readJson(text)
  if (root === null) return null
  const at = (path: string, ...kinds: JsonNode['kind'][]): JsonNode | null => {
    const node = path.split('.').reduce<JsonNode | null>(childOf, root)
    return node !== null && kinds.includes(node.kind) ? node : null
  }
  return {
    body: text,
    /** A string, decoded; null for anything else. */
    string: (path: string): string | null => at(path, 'string')?.string ?? null,
    /** A number as sent; null for anything else. */
    number: (path: string): string | null => at(path, 'number')?.raw ?? null,
    isFalse: (path: string): boolean => at(path, 'word')?.raw === 'false',
  }
}

export interface TransactionFacts {
  readonly delivery: DeliveryRow
  readonly body: string
  readonly event: string
  readonly base: 'auth' | 'clearing' | 'refund'
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

/** Facts of a transaction event (section 2.6); null for other events, or if no transaction is named. */
export function transactionFacts({ delivery, body }: Source): TransactionFacts | null {
  const found = /^transaction\.(auth|clearing|refund)(\.qualified)?$/.exec(
    likelyEvent(delivery) ?? '',
  )
  const fields = found === null ? null : bodyFields(body)
  const id = fields?.string('id') ?? null
  if (found === null || fields === null || id === null) return null
  const { string, number } = fields
  const base = found[1] as TransactionFacts['base']
  const amount = number('amount')
  // Both hold for a refund (section 6.3). If they disagree, the amount decides.
  const isReversed = amount === null ? fields.isFalse('auth') : amount.startsWith('-')
  const offerId = string('offer.id')
  const createdAt = timeOf(string('created'))
  return {
    delivery,
    body: fields.body,
    event: found[0],
    base,
    isQualified: found[2] !== undefined,
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

/** A UTC time in milliseconds since the epoch; null for anything else. A time without a zone is ambiguous. */
export function timeOf(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** A finding about deliveries. */
export function findingOf(
  level: Oddity['level'],
  code: Oddity['code'],
  about: readonly Pick<Source, 'delivery'>[],
  message: string,
  fix: string,
): Oddity {
  return { code, level, message, fix, deliveryIds: about.map(({ delivery }) => delivery.id) }
}

/** Deliveries of a purchase or location that no other finding relies on. */
export function unproved(about: readonly Pick<Source, 'delivery'>[], what: string): Oddity[] {
  if (about.length === 0) return []
  const one = about.length === 1
  return [
    findingOf(
      'warn',
      'unproved',
      about,
      `${one ? 'One delivery names' : `${about.length} deliveries name`} this ${what} without a valid signature. ${one ? 'It is' : 'They are'} shown, but not used.`,
      'Open it to see why its signature is invalid. Your handler must not act on it.',
    ),
  ]
}
