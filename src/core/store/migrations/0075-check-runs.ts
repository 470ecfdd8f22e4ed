/** Handler checks and what came of them, so that one can be held against the one before. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 75,
  name: 'check runs',
  up(db) {
    db.exec(`
      -- run: the summary, as JSON, in which a list needs no results; findings: the results and what is concluded from them.
      CREATE TABLE check_runs (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        target TEXT NOT NULL,
        run TEXT NOT NULL,
        findings TEXT NOT NULL
      ) STRICT;
      CREATE INDEX check_runs_target ON check_runs (target, seq);
    `)
  },
}
