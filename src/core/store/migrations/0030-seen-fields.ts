/** The fields that payloads of each event have had, and the delivery that each came with first. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 30,
  name: 'seen fields',
  up(db) {
    db.exec(`
      CREATE TABLE seen_fields (
        event TEXT NOT NULL,
        path TEXT NOT NULL,
        first_seq INTEGER NOT NULL,
        PRIMARY KEY (event, path)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
