/** Facts of one delivery: its objects and its transaction (sections 2 and 6.3). */
import { childOf, readJson, type JsonNode } from '../../shared/json/tree.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { LinkKind, LifecycleFinding } from '../../shared/model/lifecycle.ts'

export interface ObjectLink {
  readonly kind: LinkKind
  readonly value: string
}

const LONGEST_ID = 100

/** Paths of object ids in the payload of an event or of a group's events. */
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

/** Returns the objects in an event's payload. */
export function namedObjects(event: string, value: unknown): ObjectLink[] {
  const paths = places[event] ?? places[event.split('.')[0] ?? ''] ?? []
  const seen = new Set<string>()
  return paths.flatMap(([kind, path]): ObjectLink[] => {
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

/** Returns the verified or inferred event, otherwise the first candidate. */
export function likelyEvent(delivery: DeliveryRow): string | null {
  return delivery.event ?? delivery.eventCandidates[0] ?? null
}

/** Whether the contents are facts, not an imported file's claims. */
export function isProved({ delivery }: Pick<Source, 'delivery'>): boolean {
  return delivery.verdict === 'valid' && delivery.verifiedHere
}

/** Returns a reader of JSON fields at dotted paths, or null. */
export function bodyFields(body: Uint8Array) {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
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
    string: (path: string): string | null => at(path, 'string')?.string ?? null,
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

/** Parses a UTC time; null for anything else, because a time without a zone is ambiguous. */
export function timeOf(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

export function findingOf(
  level: LifecycleFinding['level'],
  code: LifecycleFinding['code'],
  about: readonly Pick<Source, 'delivery'>[],
  message: string,
  fix: string,
): LifecycleFinding {
  return { code, level, message, fix, deliveryIds: about.map(({ delivery }) => delivery.id) }
}

/** Returns a finding about deliveries that no other finding relies on. */
export function unprovedFindings(
  about: readonly Pick<Source, 'delivery'>[],
  what: string,
): LifecycleFinding[] {
  if (about.length === 0) return []
  const isSingle = about.length === 1
  return [
    findingOf(
      'warn',
      'unproved',
      about,
      `${isSingle ? 'One delivery names' : `${about.length} deliveries name`} this ${what} without a valid signature. ${isSingle ? 'It is' : 'They are'} shown, but not used.`,
      'Open it to see why its signature is invalid. Your handler must not act on it.',
    ),
  ]
}
