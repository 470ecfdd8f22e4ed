/** Deliveries to send, transferred in one buffer, because many small ones cost more. */
import type { Delivery } from '../../shared/model/delivery.ts'
import { headersOf } from './rows.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { packBodies, unpackBodies } from './packed-bodies.ts'
import { getDelivery } from './find-delivery.ts'

export type SendableDelivery = Pick<
  Delivery,
  'id' | 'method' | 'malformed' | 'truncated' | 'hookId' | 'event' | 'headers'
>

/** Delivery with its body; null if it was deleted. */
export interface DeliveryToSend {
  readonly delivery: SendableDelivery | null
  readonly body: Uint8Array
}

export interface HookToSend {
  readonly id: string
  readonly hookId: string | null
}

/** Returns one delivery of each hook, and one without a hook. */
export function hooksToSend(db: ReadableDb, seqs: readonly number[]): HookToSend[] {
  return rowStatement<HookToSend>(
    db,
    `SELECT id, hook_id AS hookId FROM deliveries
       WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT seq FROM deleted) GROUP BY hook_id`,
  ).all(JSON.stringify(seqs))
}

export const SENDS_PAGE = 100
const MAX_PAGE_BYTES = 4 * 1_048_576

/** Columns of a delivery, read as a list, which is faster. */
type ToSendRow = readonly [
  bytes: Buffer | null,
  id: string | null,
  method: string | null,
  malformed: string | null,
  truncated: number | null,
  hookId: string | null,
  event: string | null,
  headers: string | null,
]

export interface PackedPage {
  readonly rows: readonly {
    /** Bytes of the body in `bodies`. */
    readonly size: number
    readonly delivery: SendableDelivery | null
  }[]
  readonly bodies: Uint8Array
}

/** Reads the first deliveries that fit into a page. */
export function deliveriesToSend(db: ReadableDb, seqs: readonly number[]): PackedPage {
  const stored = rowStatement<ToSendRow>(
    db,
    `SELECT b.bytes, d.id, d.method, d.malformed, d.truncated, d.hook_id, d.event, d.headers FROM json_each(?) wanted
       LEFT JOIN deliveries d ON d.seq = wanted.value AND d.seq NOT IN (SELECT seq FROM deleted)
       LEFT JOIN bodies b ON b.seq = d.seq`,
  )
    .raw()
    .iterate(JSON.stringify(seqs))
  const rows: PackedPage['rows'][number][] = []
  const bodies: Buffer[] = []
  let total = 0
  for (const [bytes, id, method, malformed, truncated, hookId, event, headersText] of stored) {
    // A delivery with damaged headers would be sent as another request.
    const headers = headersText === null ? null : headersOf(headersText)
    const size = bytes?.length ?? 0
    if (rows.length > 0 && total + size > MAX_PAGE_BYTES) break
    total += size
    if (bytes !== null) bodies.push(bytes)
    rows.push({
      size,
      delivery:
        id === null || headers === null
          ? null
          : {
              id,
              method,
              malformed: malformed === null ? null : { reason: malformed },
              truncated: truncated === 1,
              hookId,
              event,
              headers,
            },
    })
  }
  return { rows, bodies: packBodies(bodies) }
}

/** Seqs of deliveries with their first page, so that a short list needs no second read. */
export interface NamedDeliveries {
  readonly seqs: readonly number[]
  readonly hooks: readonly HookToSend[]
  readonly page: PackedPage
}

/** Finds deliveries by reference and reads the first `paged` of them. Throws `NOT_FOUND`. */
export function findDeliveriesToSend(
  db: ReadableDb,
  { refs, paged }: { readonly refs: readonly string[]; readonly paged: number },
): NamedDeliveries {
  const deliveries = refs.map((ref) => getDelivery(db, ref))
  const seqs = deliveries.map(({ seq }) => seq)
  const hooks = new Map(deliveries.map(({ id, hookId }) => [hookId, { id, hookId }]))
  return { seqs, hooks: [...hooks.values()], page: deliveriesToSend(db, seqs.slice(0, paged)) }
}

export function unpackDeliveries({ rows, bodies }: PackedPage): DeliveryToSend[] {
  // The HTTP client would wrap anything but buffers.
  const bodyOf = unpackBodies(bodies)
  return rows.map(({ size, delivery }) => ({ delivery, body: bodyOf(size) }))
}
