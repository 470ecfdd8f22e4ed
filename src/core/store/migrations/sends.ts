/** Tables of what we send: jobs, sends, and forward targets. */
import { FILL_RESPONSES } from '../handler-responses.ts'
import type { Migration } from '../migrate.ts'

/**
 * Sends of stored deliveries, and the jobs that requested them. A send has a row as soon as it is requested, so that the rest of a
 * job is known after a crash. Times are milliseconds since the epoch.
 */
const sends: Migration = {
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

/**
 * Replays that change the request. The changed body is stored once with the job, not with each send; each send stores its actual
 * request. `variant` is the same for equally changed requests, null for captured ones.
 */
const editedSends: Migration = {
  version: 61,
  name: 'edited-sends',
  up(db) {
    db.exec(`
      ALTER TABLE replay_jobs ADD COLUMN body BLOB;
      ALTER TABLE sends ADD COLUMN variant TEXT;
      ALTER TABLE sends ADD COLUMN sent_method TEXT;
      ALTER TABLE sends ADD COLUMN sent_headers TEXT;
    `)
  },
}

/**
 * Forward targets. Their pending deliveries are ordinary sends, so that a delivery has one list of everything sent from it; the
 * index covers only pending ones. Times are milliseconds since the epoch.
 */
const forward: Migration = {
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

/**
 * An index of settled sends: each one that ends is compared with the last similar one, found without reading the delivery's other
 * sends, however many there are.
 */
const settledSends: Migration = {
  version: 100,
  name: 'settled-sends',
  up(db) {
    db.exec(`
      CREATE INDEX sends_settled ON sends (delivery_seq, started_at, seq, target, tamper, variant, passed) WHERE state = 'settled';
    `)
  },
}

/** How far a replay may have progressed: one number per job, instead of a change to each send before it starts. */
const reached: Migration = {
  version: 120,
  name: 'reached',
  up(db) {
    db.exec(`
      -- reached: sends that wait, up to this place, may have gone.
      ALTER TABLE replay_jobs ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
    `)
  },
}

/** The totals of a finished replay, stored with it: counting a million sends again would slow every list of replays. */
const countedJobs: Migration = {
  version: 130,
  name: 'counted-jobs',
  up(db) {
    db.exec(`
      -- counts: JSON, of a job that has ended; null before, and of those that had ended by then: their sends are counted.
      ALTER TABLE replay_jobs ADD COLUMN counts TEXT;
    `)
  },
}

/**
 * The response of the user's handler to each delivery: a reference to the last send that counts, and how the response is judged.
 * Receiving writes nothing here.
 */
const handlerResponses: Migration = {
  version: 190,
  name: 'handler-responses',
  up(db) {
    db.exec(`
      CREATE TABLE handler_responses (
        seq INTEGER PRIMARY KEY,
        send_seq INTEGER NOT NULL,
        outcome TEXT NOT NULL
      ) STRICT;
      CREATE INDEX handler_responses_failing ON handler_responses (seq) WHERE outcome = 'failing';
      ${FILL_RESPONSES};
    `)
  },
}

/** Targets no longer wait for a person's response: their hooks' rules respond, and targets without a URL go. */
const noManualResponses: Migration = {
  version: 265,
  name: 'no-manual-responses',
  up(db) {
    db.exec(`
      UPDATE sends SET state = 'cancelled', error = 'The target had no URL.'
      WHERE kind = 'forward' AND state IN ('waiting', 'under-way')
        AND job_id IN (SELECT id FROM forward_targets WHERE settings ->> '$.url' = '');
      DELETE FROM forward_targets WHERE settings ->> '$.url' = '';
      UPDATE forward_targets SET settings = json_set(settings, '$.answer', 'rule') WHERE settings ->> '$.answer' = 'by-hand';
    `)
  },
}

export const sendMigrations: readonly Migration[] = [
  sends,
  editedSends,
  forward,
  settledSends,
  reached,
  countedJobs,
  handlerResponses,
  noManualResponses,
]
