/** Reads which deliveries name an object of the service. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Link } from '../lifecycle/named-objects.ts'
import { deliveriesBySeq, readBody } from './deliveries-repo.ts'
import { linkKey } from './link-writer.ts'
import type { ReadableDb } from './open.ts'

/** A delivery with the bytes kept of it. */
export interface LinkedDelivery {
  readonly delivery: Delivery
  readonly body: Uint8Array
}

/** Bodies are read up to this size together, in bytes: what names one purchase is small, and what is not is no purchase. */
const MOST_BYTES = 32 * 1_048_576

/** The latest deliveries that name an object, oldest first, with their bodies; `isCut` where there are more. */
export function linkedDeliveries(
  db: ReadableDb,
  { limit, ...link }: Link & { readonly limit: number },
): { deliveries: LinkedDelivery[]; isCut: boolean } {
  const seqs = db
    .prepare<[number, Buffer, number], number>(
      'SELECT seq FROM links WHERE kind = ? AND value = ? AND seq NOT IN (SELECT seq FROM deleted) ORDER BY seq DESC LIMIT ?',
    )
    .pluck()
    .all(...linkKey(link), limit + 1)
  const deliveries: LinkedDelivery[] = []
  let bytes = 0
  for (const delivery of deliveriesBySeq(db, seqs.slice(0, limit))) {
    bytes += delivery.bodySize
    if (bytes > MOST_BYTES) return { deliveries: deliveries.reverse(), isCut: true }
    deliveries.push({ delivery, body: readBody(db, { seq: delivery.seq, offset: 0, length: delivery.bodySize }).bytes })
  }
  return { deliveries: deliveries.reverse(), isCut: seqs.length > limit }
}

/** How many deliveries name an object, counted up to `most`. */
export function countLinks(db: ReadableDb, { most, ...link }: Link & { readonly most: number }): number {
  return (
    db
      .prepare<[number, Buffer, number], number>(
        'SELECT count(*) FROM (SELECT 1 FROM links WHERE kind = ? AND value = ? AND seq NOT IN (SELECT seq FROM deleted) LIMIT ?)',
      )
      .pluck()
      .get(...linkKey(link), most) ?? 0
  )
}
