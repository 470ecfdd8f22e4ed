/**
 * What we sent of stored deliveries, and the jobs that asked for it. A send is a row from the moment it is asked for, so that what
 * is left of a job is known after a crash. Times are milliseconds since the epoch.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 60,
  name: 'sends',
  up(db) {
    db.exec(`
      -- owner: the process that works on it; alive_at: when it last said so.
      CREATE TABLE replay_jobs (
        id TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL,
        settings TEXT NOT NULL,
        state TEXT NOT NULL,
        owner INTEGER NOT NULL,
        alive_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE sends (
        seq INTEGER PRIMARY KEY,
        job_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        delivery_seq INTEGER NOT NULL REFERENCES deliveries (seq) ON DELETE CASCADE,
        target TEXT NOT NULL,
        tamper TEXT,
        state TEXT NOT NULL,
        started_at INTEGER,
        registered_url TEXT,
        status INTEGER,
        ms REAL,
        phases TEXT,
        error_kind TEXT,
        error TEXT,
        passed INTEGER,
        outcome TEXT,
        certificate_problem TEXT,
        headers TEXT,
        body BLOB,
        truncated INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE UNIQUE INDEX sends_job ON sends (job_id, position);
      CREATE INDEX sends_delivery ON sends (delivery_seq, seq);
    `)
  },
}
