/** Reads the fields of stored payloads. */
import type { Profile } from '../../shared/drift/profile-schema.ts'
import { IS_KEPT } from './find-delivery.ts'
import { FieldTree } from './field-tree.ts'
import { payloadOf, type ContentRow } from './search/contents.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

interface PayloadRow extends Pick<ContentRow, 'event' | 'malformed' | 'truncated' | 'bytes'> {
  readonly id: string
  readonly at: number
}

/** Profiles the payloads of these seqs, by event. Deleted deliveries are left out. */
export function readFieldProfile(db: ReadableDb, seqs: readonly number[]): Profile {
  const rows = rowStatement<PayloadRow>(
    db,
    `SELECT d.id, d.received_at AS at, d.event, d.malformed, d.truncated, b.bytes
     FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq
     WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT}`,
  )
  const trees = new Map<string, FieldTree>()
  let unread = 0
  for (const row of rows.iterate(JSON.stringify(seqs))) {
    const payload = typeof row.event === 'string' ? payloadOf(row) : undefined
    if (typeof row.event !== 'string' || payload === undefined) {
      unread++
      continue
    }
    const tree = trees.get(row.event) ?? new FieldTree()
    trees.set(row.event, tree)
    tree.add(payload.value, { id: row.id, at: row.at })
  }
  const events = Array.from(trees, ([event, tree]) => ({
    event,
    deliveries: tree.deliveries,
    fields: tree.profiles(),
  }))
  return { events, unread }
}
