/**
 * Records which deliveries name which object: a narrow table from an id to the deliveries that hold it, filled in behind. Ids
 * are kept as the sixteen bytes that a UUID is; any other text as its own bytes.
 */
import type { Database } from 'better-sqlite3'
import { linkKinds } from '../../shared/model/lifecycle.ts'
import type { Link } from '../lifecycle/named-objects.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** How an object stands in the table: its kind and its id. */
export function linkKey({ kind, value }: Link): [number, Buffer] {
  const key = uuidPattern.test(value) ? Buffer.from(value.replaceAll('-', ''), 'hex') : Buffer.from(value)
  return [linkKinds.indexOf(kind), key]
}

/** Makes the function that records what a delivery names, inside the transaction that describes it. */
export function prepareLinks(db: Database): (seq: number, links: readonly Link[]) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO links (kind, value, seq) VALUES (?, ?, ?)')
  return (seq, links) => {
    for (const link of links) insert.run(...linkKey(link), seq)
  }
}
