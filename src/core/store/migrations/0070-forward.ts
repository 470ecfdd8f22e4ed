/**
 * Targets that new deliveries are passed on to. What waits for a target are sends like any other, so that a delivery has one list
 * of all that was made of it; the index finds those that wait, and no others. Times are milliseconds since the epoch.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 70,
  name: 'forward',
  up(db) {
    db.exec(`
      -- since_seq: only later deliveries go there.
      CREATE TABLE forward_targets (
        id TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL,
        settings TEXT NOT NULL,
        paused INTEGER NOT NULL,
        temporary INTEGER NOT NULL,
        since_seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- One row: up to which delivery it was decided where they go.
      CREATE TABLE forward_progress (one INTEGER PRIMARY KEY CHECK (one = 1), routed_seq INTEGER NOT NULL) STRICT;
      INSERT INTO forward_progress VALUES (1, 0);

      -- tries: how often a forwarded delivery was answered otherwise than hoped for. answers: whether the service waits for its answer.
      ALTER TABLE sends ADD COLUMN kind TEXT NOT NULL DEFAULT 'replay';
      ALTER TABLE sends ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE sends ADD COLUMN answers INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX sends_forward ON sends (job_id, delivery_seq) WHERE kind = 'forward' AND state IN ('waiting', 'under-way');
    `)
  },
}
