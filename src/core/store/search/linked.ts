/** Finds the deliveries that name an object of the service: indexed deliveries by the index, the rest one by one. */
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { ObjectLink } from '../../lifecycle/facts.ts'
import { deliveriesBySeq, readStoredBody } from '../deliveries-repo.ts'
import type { ReadableDb } from '../open.ts'
import { valuesOf } from '../statements.ts'
import { contentsOf, CONTENT_COLUMNS, type ContentRow, linkWord } from './contents.ts'
import { indexedSeq } from './open-search.ts'

/** A delivery with its stored bytes. */
export interface LinkedDelivery {
  readonly delivery: Delivery
  readonly body: Uint8Array
}

/** Bodies are read up to this total size, in bytes: payloads of one purchase are small. */
const MOST_BYTES = 32 * 1_048_576
/** This many unindexed deliveries are examined one by one, newest first: a few milliseconds. */
export const MOST_LOOKED_AT = 2_000

const NOT_DELETED = 'NOT IN (SELECT seq FROM main.deleted)'

/** The latest deliveries that name an object, newest first. */
function seqsNaming(db: ReadableDb, link: ObjectLink, limit: number): number[] {
  const indexed = indexedSeq(db)
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  // Its JSON form: bodies without it needn't be parsed.
  const text = Buffer.from(JSON.stringify(link.value).slice(1, -1))
  const lookAt = db.prepare<[number, Buffer], ContentRow & { readonly seq: number }>(
    `SELECT d.seq, ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq
     WHERE d.seq >= ? AND instr(b.bytes, ?) > 0 AND d.seq ${NOT_DELETED} ORDER BY d.seq DESC`,
  )
  const names = (row: ContentRow) =>
    contentsOf(row).links.some(({ kind, value }) => kind === link.kind && value === link.value)
  const seqs: number[] = []
  for (const row of lookAt.iterate(Math.max(indexed, newest - MOST_LOOKED_AT) + 1, text)) {
    if (names(row)) seqs.push(row.seq)
    if (seqs.length === limit) return seqs
  }
  if (indexed === 0) return seqs
  const known = valuesOf<number>(
    db,
    `SELECT rowid FROM search.words WHERE words MATCH ? AND rowid ${NOT_DELETED} ORDER BY rowid DESC LIMIT ?`,
  ).all(`"${linkWord(link)}"`, limit - seqs.length)
  return [...seqs, ...known]
}

/** The latest deliveries that name an object, oldest first, with their bodies; `isCut` if there are more. */
export function linkedDeliveries(
  db: ReadableDb,
  { limit, ...link }: ObjectLink & { readonly limit: number },
): { deliveries: LinkedDelivery[]; isCut: boolean } {
  // One transaction: a delivery indexed between two statements must be in exactly one of their results.
  return db.transaction(() => {
    const seqs = seqsNaming(db, link, limit + 1)
    const deliveries: LinkedDelivery[] = []
    let bytes = 0
    for (const delivery of deliveriesBySeq(db, seqs.slice(0, limit))) {
      bytes += delivery.bodySize
      if (bytes > MOST_BYTES) return { deliveries: deliveries.reverse(), isCut: true }
      deliveries.push({
        delivery,
        body: readStoredBody(db, { seq: delivery.seq, offset: 0, length: delivery.bodySize }).bytes,
      })
    }
    return { deliveries: deliveries.reverse(), isCut: seqs.length > limit }
  })()
}

/** How many deliveries name an object, counted up to `most`. */
export function countLinks(
  db: ReadableDb,
  { most, ...link }: ObjectLink & { readonly most: number },
): number {
  return db.transaction(() => seqsNaming(db, link, most).length)()
}
