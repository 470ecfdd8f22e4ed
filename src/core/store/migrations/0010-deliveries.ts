/**
 * Deliveries and their bytes. The hot table has three indexes and no more: each costs an acknowledgement time. Bodies lie
 * apart, so that a scan of the list does not read them. Times are milliseconds since the epoch.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 10,
  name: 'deliveries',
  up(db) {
    db.exec(`
      CREATE TABLE deliveries (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        received_at INTEGER NOT NULL,
        method TEXT,
        path TEXT,
        malformed TEXT,
        http_version TEXT NOT NULL,
        headers TEXT NOT NULL,
        body_size INTEGER NOT NULL,
        body_sha256 TEXT NOT NULL,
        truncated INTEGER NOT NULL,
        remote TEXT,
        event TEXT,
        event_source TEXT,
        event_candidates TEXT NOT NULL DEFAULT '[]',
        hook_id TEXT,
        environment TEXT,
        mode TEXT,
        verdict TEXT NOT NULL,
        freshness TEXT NOT NULL,
        schema TEXT NOT NULL DEFAULT 'unknown',
        notification_key INTEGER,
        attempt INTEGER NOT NULL DEFAULT 1,
        attempt_of TEXT,
        duplicate_of TEXT,
        answer_status INTEGER,
        answer_ms REAL,
        replay_of TEXT
      ) STRICT;
      CREATE UNIQUE INDEX deliveries_id ON deliveries (id);
      CREATE INDEX deliveries_event ON deliveries (event);
      CREATE INDEX deliveries_verdict ON deliveries (verdict);

      CREATE TABLE bodies (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

      -- The first and the latest delivery of each notification, found by a short hash of what makes them the same.
      CREATE TABLE notifications (
        key INTEGER PRIMARY KEY,
        first_id TEXT NOT NULL,
        last_seq INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        acknowledged INTEGER NOT NULL
      ) STRICT;

      -- One row: how far the work behind the receiver has come.
      CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), described_seq INTEGER NOT NULL) STRICT;
      INSERT INTO progress VALUES (1, 0);
    `)
  },
}
