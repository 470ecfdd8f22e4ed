/** Fields that each event's payloads have had, so that a new one can be marked. */
import { rowStatement, columnStatement } from '../statements.ts'
import type { ReadableDb } from '../database.ts'
import { getDelivery } from '../find-delivery.ts'
import { contentsOf, CONTENT_COLUMNS, type ContentRow, type PayloadFields } from './contents.ts'
import { indexedSeq, hasSearch, type SearchDb } from './open-search.ts'

/** Fields stored per event, because clients add any to `metadata`. */
const MAX_FIELDS = 2_000

export function prepareSeenFields(search: SearchDb, main: ReadableDb) {
  const read = rowStatement<{ path: string; first_seq: number }>(
    search,
    'SELECT path, first_seq FROM seen_fields WHERE event = ?',
  )
  const put = search.prepare(
    'INSERT OR REPLACE INTO seen_fields (event, path, first_seq) VALUES (?, ?, ?)',
  )
  const drop = search.prepare('DELETE FROM seen_fields WHERE event = ?')
  const events = columnStatement<string>(search, 'SELECT DISTINCT event FROM seen_fields')
  const isUsed = main.prepare('SELECT 1 FROM deliveries WHERE event = ? LIMIT 1')
  const firstSeqs = new Map<string, Map<string, number>>()

  return {
    /** Stores a delivery's fields; older deliveries may follow. */
    remember(seq: number, { event, paths }: PayloadFields) {
      const seen =
        firstSeqs.get(event) ??
        new Map(read.all(event).map(({ path, first_seq: first }) => [path, first]))
      firstSeqs.set(event, seen)
      for (const path of paths) {
        const first = seen.get(path)
        if (first === undefined ? seen.size >= MAX_FIELDS : first <= seq) continue
        put.run(event, path, seq)
        seen.set(path, seq)
      }
    },
    dropUnused() {
      for (const event of events.all()) {
        if (isUsed.get(event) !== undefined) continue
        drop.run(event)
        firstSeqs.delete(event)
      }
    },
    forget() {
      firstSeqs.clear()
    },
  }
}

/** Unindexed deliveries that are examined. */
const MAX_UNINDEXED = 200

/** Returns an event's earlier fields; null if too many aren't indexed. */
function fieldsBefore(db: ReadableDb, event: string, seq: number): Set<string> | null {
  const above = rowStatement<ContentRow>(
    db,
    `SELECT ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq
       WHERE d.seq > ? AND d.seq < ? AND d.event = ? ORDER BY d.seq DESC LIMIT ?`,
  ).all(indexedSeq(db), seq, event, MAX_UNINDEXED + 1)
  if (above.length > MAX_UNINDEXED) return null
  const indexed = columnStatement<string>(
    db,
    'SELECT path FROM search.seen_fields WHERE event = ? AND first_seq < ?',
  ).all(event, seq)
  return new Set([...indexed, ...above.flatMap((row) => contentsOf(row).fields?.paths ?? [])])
}

/** Returns fields that first occurred here; none for an event's first delivery. */
export function newFields(db: ReadableDb, ref: string): string[] {
  const { seq, event } = getDelivery(db, ref)
  const before = event === null || !hasSearch(db) ? null : fieldsBefore(db, event, seq)
  if (before === null || before.size === 0 || before.size >= MAX_FIELDS) return []
  const row = rowStatement<ContentRow>(
    db,
    `SELECT ${CONTENT_COLUMNS} FROM deliveries d JOIN bodies b ON b.seq = d.seq WHERE d.seq = ?`,
  ).get(seq)
  const paths = row === undefined ? [] : (contentsOf(row).fields?.paths ?? [])
  return paths.filter((path) => !before.has(path))
}
