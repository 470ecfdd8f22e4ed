/** Finds deliveries by the objects that their payloads name. */
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { ObjectLink } from '../../lifecycle/object-links.ts'
import { deliveriesBySeq } from '../deliveries.ts'
import { rowStatement, columnStatement } from '../statements.ts'
import type { ReadableDb } from '../database.ts'
import { readStoredBody } from '../stored-bodies.ts'
import { contentsOf, CONTENT_COLUMNS, type ContentRow } from './contents.ts'
import { indexedSeq } from './open-search.ts'
import { linkWord } from './index-facts.ts'

export interface LinkedDelivery {
  readonly delivery: Delivery
  readonly body: Uint8Array
}

const MAX_BYTES = 32 * 1_048_576
/** Unindexed deliveries examined in a few milliseconds. */
export const MAX_UNINDEXED_CHECKED = 2_000

/** Condition of seqs that are neither deleted nor composed. */
const IS_LINKED = 'NOT IN (SELECT seq FROM main.deleted UNION ALL SELECT seq FROM main.composed)'

/** Returns the latest deliveries that name an object, newest first. */
function seqsNaming(db: ReadableDb, link: ObjectLink, limit: number): number[] {
  const indexed = indexedSeq(db)
  const newest = columnStatement<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  // Bodies without this text needn't be parsed.
  const text = Buffer.from(JSON.stringify(link.value).slice(1, -1))
  const unindexedRows = rowStatement<ContentRow & { readonly seq: number }>(
    db,
    `SELECT d.seq, ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq
     WHERE d.seq >= ? AND instr(b.bytes, ?) > 0 AND d.seq ${IS_LINKED} ORDER BY d.seq DESC`,
  )
  const names = (row: ContentRow) =>
    contentsOf(row).links.some(({ kind, value }) => kind === link.kind && value === link.value)
  const seqs: number[] = []
  for (const row of unindexedRows.iterate(
    Math.max(indexed, newest - MAX_UNINDEXED_CHECKED) + 1,
    text,
  )) {
    if (names(row)) seqs.push(row.seq)
    if (seqs.length === limit) return seqs
  }
  if (indexed === 0) return seqs
  const indexedSeqs = columnStatement<number>(
    db,
    `SELECT rowid FROM search.words WHERE words MATCH ? AND rowid ${IS_LINKED} ORDER BY rowid DESC LIMIT ?`,
  ).all(`"${linkWord(link)}"`, limit - seqs.length)
  return [...seqs, ...indexedSeqs]
}

/** Returns the latest deliveries that name an object, oldest first. */
export function linkedDeliveries(
  db: ReadableDb,
  { limit, ...link }: ObjectLink & { readonly limit: number },
): { deliveries: LinkedDelivery[]; isCut: boolean } {
  // A delivery that is indexed meanwhile is found once.
  return db.transaction(() => {
    const seqs = seqsNaming(db, link, limit + 1)
    const deliveries: LinkedDelivery[] = []
    let bytes = 0
    for (const delivery of deliveriesBySeq(db, seqs.slice(0, limit))) {
      bytes += delivery.bodySize
      if (bytes > MAX_BYTES) return { deliveries: deliveries.reverse(), isCut: true }
      deliveries.push({
        delivery,
        body: readStoredBody(db, { seq: delivery.seq, offset: 0, length: delivery.bodySize }).bytes,
      })
    }
    return { deliveries: deliveries.reverse(), isCut: seqs.length > limit }
  })()
}

export function countLinks(
  db: ReadableDb,
  { most, ...link }: ObjectLink & { readonly most: number },
): number {
  return db.transaction(() => seqsNaming(db, link, most).length)()
}
