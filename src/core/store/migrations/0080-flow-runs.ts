/** Runs of flows, each kept whole as JSON; what lists go by stands beside it. Times are milliseconds since the epoch. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  version: 80,
  name: 'flow runs',
  up(db) {
    db.exec(`
      -- owner: the process that it goes in.
      CREATE TABLE flow_runs (
        id TEXT PRIMARY KEY,
        flow TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        summary TEXT NOT NULL,
        run TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX flow_runs_flow ON flow_runs (flow, id);
    `)
  },
}
