/** Runs of handler checks and of flows. */
import type { Migration } from '../migrate.ts'

/** Handler checks and their results, so that each can be compared with the previous one. */
const checkRuns: Migration = {
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

/** Runs of flows, each stored completely as JSON, with separate columns for lists. Times are milliseconds since the epoch. */
const flowRuns: Migration = {
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

/** Built-in flows run as one, each group stored completely as JSON. */
const flowGroups: Migration = {
  version: 186,
  name: 'groups of flow runs',
  up(db) {
    db.exec(`
      -- number: counts up, as shown; owner: the process that runs it.
      CREATE TABLE flow_groups (
        id TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        run TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `)
  },
}

/** The run that each delivery of a flow belongs to. Only flows write here. */
const flowDeliveries: Migration = {
  version: 195,
  name: 'flow deliveries',
  up(db) {
    db.exec(`
      -- step: the name of the step that expected it; null if none did.
      CREATE TABLE flow_deliveries (
        seq INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL,
        flow TEXT NOT NULL,
        step TEXT
      ) STRICT;
      INSERT OR IGNORE INTO flow_deliveries (seq, run_id, flow, step)
        SELECT d.seq, r.id, r.flow, step.value ->> 'name' FROM flow_runs r, json_each(r.run, '$.steps') step
        JOIN deliveries d ON d.id = step.value ->> 'deliveryId' ORDER BY r.id, step.key;
      INSERT OR IGNORE INTO flow_deliveries (seq, run_id, flow, step)
        SELECT d.seq, r.id, r.flow, NULL FROM flow_runs r, json_each(r.run, '$.strays') stray
        JOIN deliveries d ON d.id = stray.value ->> 'deliveryId' ORDER BY r.id, stray.key;
    `)
  },
}

/** Flows that run one after the other are stored as their runs only. */
const noFlowGroups: Migration = {
  version: 270,
  name: 'no groups of flow runs',
  up(db) {
    db.exec('DROP TABLE flow_groups;')
  },
}

/** Totals by minute leave out deliveries of flow runs, as the list does: they are counted again. */
const listedTotals: Migration = {
  version: 330,
  name: 'totals without flow runs',
  up(db) {
    if (db.prepare('SELECT 1 FROM flow_deliveries').get() === undefined) return
    db.exec('DELETE FROM delivery_totals; UPDATE progress SET counted_seq = 0;')
  },
}

export const runMigrations: readonly Migration[] = [
  checkRuns,
  flowRuns,
  flowGroups,
  flowDeliveries,
  noFlowGroups,
  listedTotals,
]
