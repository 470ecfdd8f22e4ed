/**
 * Deliveries as a replay sends them: read with one statement and transferred with all bodies in one
 * buffer, because many small ones cost more to transfer than to read.
 */
import type { Delivery } from '../../shared/model/delivery.ts'
import { getDelivery } from './deliveries.ts'
import { packBodies, unpackBodies } from './ingest.ts'
import type { ReadableDb } from './open.ts'
import { headersOf } from './rows.ts'
import { rowStatement } from './statements.ts'

export type SendableDelivery = Pick<
  Delivery,
  'id' | 'method' | 'malformed' | 'truncated' | 'hookId' | 'headers'
>

/** A delivery and its body; null if it was deleted. */
export interface DeliveryToSend {
  readonly delivery: SendableDelivery | null
  readonly body: Uint8Array
}

/** A delivery of each hook, for messages. */
export interface HookToSend {
  readonly id: string
  readonly hookId: string | null
}

/**
 * Returns a delivery of each hook among some deliveries, by seq; `hookId` is null for those without
 * one.
 */
export function hooksToSend(db: ReadableDb, seqs: readonly number[]): HookToSend[] {
  return rowStatement<HookToSend>(
    db,
    `SELECT id, hook_id AS hookId FROM deliveries
       WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT seq FROM deleted) GROUP BY hook_id`,
  ).all(JSON.stringify(seqs))
}

/** Deliveries in a page at most. */
export const SENDS_PAGE = 100
/** Bytes of bodies in a page at most, but a page has at least one delivery. */
const PAGE_BYTES = 4 * 1_048_576

type ToSendRow = readonly [
  bytes: Buffer | null,
  id: string | null,
  method: string | null,
  malformed: string | null,
  truncated: number | null,
  hookId: string | null,
  headers: string | null,
]

export interface PackedPage {
  /** Each with the size of its body. */
  readonly rows: readonly (readonly [size: number, delivery: SendableDelivery | null])[]
  readonly bodies: Uint8Array
}

/** Returns the first deliveries of a list of seqs, in its order: as many as fit into a page. */
export function deliveriesToSend(db: ReadableDb, seqs: readonly number[]): PackedPage {
  // A left join keeps the order of the list.
  const found = rowStatement<ToSendRow>(
    db,
    `SELECT b.bytes, d.id, d.method, d.malformed, d.truncated, d.hook_id, d.headers FROM json_each(?) wanted
       LEFT JOIN deliveries d ON d.seq = wanted.value AND d.seq NOT IN (SELECT seq FROM deleted)
       LEFT JOIN bodies b ON b.seq = d.seq`,
  )
    .raw()
    .iterate(JSON.stringify(seqs))
  const rows: PackedPage['rows'][number][] = []
  const bodies: Buffer[] = []
  let total = 0
  for (const [bytes, id, method, malformed, truncated, hookId, headersText] of found) {
    // Without its headers it would be another request.
    const headers = headersText === null ? null : headersOf(headersText)
    const size = bytes?.length ?? 0
    if (rows.length > 0 && total + size > PAGE_BYTES) break
    total += size
    if (bytes !== null) bodies.push(bytes)
    rows.push([
      size,
      id === null || headers === null
        ? null
        : {
            id,
            method,
            malformed: malformed === null ? null : { reason: malformed },
            truncated: truncated === 1,
            hookId,
            headers,
          },
    ])
  }
  return { rows, bodies: packBodies(bodies) }
}

/** Deliveries that were named, with the first page of them, so that few need no second read. */
export interface NamedDeliveries {
  /** In the given order. */
  readonly seqs: readonly number[]
  readonly hooks: readonly HookToSend[]
  readonly page: PackedPage
}

/**
 * Finds deliveries by id, `latest` or `latest:EVENT`, with at most this many in their page. Throws
 * `NOT_FOUND`.
 */
export function deliveriesNamed(
  db: ReadableDb,
  { refs, paged }: { readonly refs: readonly string[]; readonly paged: number },
): NamedDeliveries {
  const found = refs.map((ref) => getDelivery(db, ref))
  const seqs = found.map(({ seq }) => seq)
  const hooks = new Map(found.map(({ id, hookId }) => [hookId, { id, hookId }]))
  return { seqs, hooks: [...hooks.values()], page: deliveriesToSend(db, seqs.slice(0, paged)) }
}

export function unpackDeliveries({ rows, bodies }: PackedPage): DeliveryToSend[] {
  // Buffers, because the HTTP client would wrap anything else again.
  const bodyOf = unpackBodies(bodies)
  return rows.map(([size, delivery]) => ({ delivery, body: bodyOf(size) }))
}
