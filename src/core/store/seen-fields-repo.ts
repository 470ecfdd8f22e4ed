/**
 * Which fields the payloads of an event have had so far, so that one that was never there before can be marked. Kept for what
 * is described, with the delivery that brought each field first: nothing is stored per delivery.
 */
import { getDelivery } from './deliveries-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'

/** The fields of one delivery of an event, as `fieldPaths` gives them, a line each. */
export interface SeenFields {
  readonly event: string
  readonly paths: string
}

/** Fields kept per event: clients put keys of their own choice into `metadata`, without end. */
const MOST_FIELDS = 2_000
/** Sets of fields remembered per event, so that a payload like those before costs one look. */
const MOST_SHAPES = 200

export interface SeenFieldsWriter {
  /** Inside the transaction that describes the delivery. */
  remember(seq: number, fields: SeenFields): void
  /** The transaction failed: what was remembered in it is not stored. */
  forget(): void
}

export function prepareSeenFields(db: WritableDb): SeenFieldsWriter {
  const read = db.prepare<[string], string>('SELECT path FROM seen_fields WHERE event = ?').pluck()
  const insert = db.prepare('INSERT OR IGNORE INTO seen_fields (event, path, first_seq) VALUES (?, ?, ?)')
  const known = new Map<string, { readonly paths: Set<string>; readonly shapes: Set<string> }>()
  return {
    remember(seq, { event, paths }) {
      let seen = known.get(event)
      if (seen === undefined) known.set(event, (seen = { paths: new Set(read.all(event)), shapes: new Set() }))
      if (seen.shapes.has(paths)) return
      for (const path of paths.split('\n')) {
        if (seen.paths.has(path) || seen.paths.size >= MOST_FIELDS) continue
        insert.run(event, path, seq)
        seen.paths.add(path)
      }
      if (seen.shapes.size < MOST_SHAPES) seen.shapes.add(paths)
    },
    forget() {
      known.clear()
    },
  }
}

/** The fields that came with this delivery first; none for the first delivery of an event, with which all of them did. */
export function newFields(db: ReadableDb, ref: string): string[] {
  const { seq, event } = getDelivery(db, ref)
  if (event === null) return []
  return db
    .prepare<{ event: string; seq: number }, string>(
      `SELECT path FROM seen_fields WHERE event = @event AND first_seq = @seq
       AND EXISTS (SELECT 1 FROM seen_fields WHERE event = @event AND first_seq < @seq)`,
    )
    .pluck()
    .all({ seq, event })
}
