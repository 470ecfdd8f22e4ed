/** From an object of the service to the deliveries that name it. Deliveries that were there before are read once for it. */
import { namedObjects } from '../../lifecycle/named-objects.ts'
import { parseBody } from '../../../shared/service/json-body.ts'
import { prepareLinks } from '../link-writer.ts'
import type { Migration } from './migration.ts'

interface Described {
  readonly seq: number
  readonly event: string | null
  readonly event_candidates: string
}

export const migration: Migration = {
  version: 40,
  name: 'links',
  up(db) {
    db.exec(`
      CREATE TABLE links (
        kind INTEGER NOT NULL,
        value BLOB NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (kind, value, seq)
      ) STRICT, WITHOUT ROWID;
    `)
    const add = prepareLinks(db)
    const next = db.prepare<[number], Described>(
      `SELECT seq, event, event_candidates FROM deliveries
       WHERE seq > ? AND seq <= (SELECT described_seq FROM progress) AND malformed IS NULL AND truncated = 0 ORDER BY seq LIMIT 1`,
    )
    const body = db.prepare<[number], Buffer>('SELECT bytes FROM bodies WHERE seq = ?').pluck()
    for (let row = next.get(0); row !== undefined; row = next.get(row.seq)) {
      const event = row.event ?? (JSON.parse(row.event_candidates) as string[])[0]
      const parsed = event === undefined ? null : parseBody(body.get(row.seq) ?? '')
      if (event !== undefined && parsed?.ok === true) add(row.seq, namedObjects(event, parsed.value))
    }
  },
}
