/** What is put on deliveries, and which are deleted but not yet gone. Both lie apart: the hot table is never written for them. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 50,
  name: 'keeping',
  up(db) {
    db.exec(`
      -- A row only where there is a mark.
      CREATE TABLE marks (
        seq INTEGER PRIMARY KEY,
        pinned INTEGER NOT NULL,
        note TEXT,
        colour TEXT
      ) STRICT;

      -- Hidden at once, taken out behind; at: milliseconds since the epoch.
      CREATE TABLE deleted (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
    `)
  },
}
