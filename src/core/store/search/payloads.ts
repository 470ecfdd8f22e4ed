/**
 * What payloads name, from the index and from deliveries that aren't indexed yet: the objects of the service, by which their
 * deliveries are found, and the fields that each event's payloads have had so far, so that a new one can be marked.
 */
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { ObjectLink } from '../../lifecycle/facts.ts'
import { deliveriesBySeq, readStoredBody, getDelivery } from '../deliveries.ts'
import type { ReadableDb } from '../open.ts'
import { rowStatement, valuesOf } from '../statements.ts'
import {
  contentsOf,
  CONTENT_COLUMNS,
  type ContentRow,
  linkWord,
  type PayloadFields,
} from './contents.ts'
import { indexedSeq, hasSearch, type SearchDb } from './open-search.ts'

export interface LinkedDelivery {
  readonly delivery: Delivery
  readonly body: Uint8Array
}

/** Bodies are read up to this total size, in bytes: payloads of one purchase are small. */
const MOST_BYTES = 32 * 1_048_576
/** This many unindexed deliveries are examined one by one, newest first: a few milliseconds. */
export const MOST_CHECKED = 2_000

const NOT_DELETED = 'NOT IN (SELECT seq FROM main.deleted)'

/** The latest deliveries that name an object, newest first. */
function seqsNaming(db: ReadableDb, link: ObjectLink, limit: number): number[] {
  const indexed = indexedSeq(db)
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  // Its JSON form: bodies without it needn't be parsed.
  const text = Buffer.from(JSON.stringify(link.value).slice(1, -1))
  const unindexedRows = rowStatement<ContentRow & { readonly seq: number }>(
    db,
    `SELECT d.seq, ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq
     WHERE d.seq >= ? AND instr(b.bytes, ?) > 0 AND d.seq ${NOT_DELETED} ORDER BY d.seq DESC`,
  )
  const names = (row: ContentRow) =>
    contentsOf(row).links.some(({ kind, value }) => kind === link.kind && value === link.value)
  const seqs: number[] = []
  for (const row of unindexedRows.iterate(Math.max(indexed, newest - MOST_CHECKED) + 1, text)) {
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

/** Fields stored per event: clients add any number of custom keys to `metadata`. */
const MOST_FIELDS = 2_000

export function prepareSeenFields(search: SearchDb, main: ReadableDb) {
  const read = rowStatement<{ path: string; first_seq: number }>(
    search,
    'SELECT path, first_seq FROM seen_fields WHERE event = ?',
  )
  const put = search.prepare(
    'INSERT OR REPLACE INTO seen_fields (event, path, first_seq) VALUES (?, ?, ?)',
  )
  const drop = search.prepare('DELETE FROM seen_fields WHERE event = ?')
  const events = valuesOf<string>(search, 'SELECT DISTINCT event FROM seen_fields')
  const isUsed = main.prepare('SELECT 1 FROM deliveries WHERE event = ? LIMIT 1')
  /** By event and path: the oldest delivery that had it. */
  const known = new Map<string, Map<string, number>>()

  return {
    /** Inside the transaction that indexes the delivery. Older deliveries may be indexed after newer ones. */
    remember(seq: number, { event, paths }: PayloadFields) {
      const seen =
        known.get(event) ??
        new Map(read.all(event).map(({ path, first_seq: first }) => [path, first]))
      known.set(event, seen)
      for (const path of paths) {
        const first = seen.get(path)
        if (first === undefined ? seen.size >= MOST_FIELDS : first <= seq) continue
        put.run(event, path, seq)
        seen.set(path, seq)
      }
    },
    /** Removes the fields of events whose last delivery was removed. */
    dropUnused() {
      for (const event of events.all()) {
        if (isUsed.get(event) !== undefined) continue
        drop.run(event)
        known.delete(event)
      }
    },
    /** The transaction failed: forgets everything cached in it. */
    forget() {
      known.clear()
    },
  }
}

/** Unindexed deliveries of the same event that are examined one by one: those of the last moments. */
const MOST_UNINDEXED = 200

/**
 * The fields that an event had before a delivery, from the index and from deliveries above its mark; null if there are too many to
 * examine.
 */
function fieldsBefore(db: ReadableDb, event: string, seq: number): Set<string> | null {
  const above = rowStatement<ContentRow>(
    db,
    `SELECT ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq
       WHERE d.seq > ? AND d.seq < ? AND d.event = ? ORDER BY d.seq DESC LIMIT ?`,
  ).all(indexedSeq(db), seq, event, MOST_UNINDEXED + 1)
  if (above.length > MOST_UNINDEXED) return null
  const indexed = valuesOf<string>(
    db,
    'SELECT path FROM search.seen_fields WHERE event = ? AND first_seq < ?',
  ).all(event, seq)
  return new Set([...indexed, ...above.flatMap((row) => contentsOf(row).fields?.paths ?? [])])
}

/**
 * The fields that first occurred in this delivery; none for an event's first delivery, in which all fields are new, and none while
 * older deliveries are still being indexed.
 */
export function newFields(db: ReadableDb, ref: string): string[] {
  const { seq, event } = getDelivery(db, ref)
  const before = event === null || !hasSearch(db) ? null : fieldsBefore(db, event, seq)
  if (before === null || before.size === 0 || before.size >= MOST_FIELDS) return []
  const row = rowStatement<ContentRow>(
    db,
    `SELECT ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq WHERE d.seq = ?`,
  ).get(seq)
  const paths = row === undefined ? [] : (contentsOf(row).fields?.paths ?? [])
  return paths.filter((path) => !before.has(path))
}
