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

interface OldSend {
  readonly position: number
  readonly deliverySeq: number
  readonly hookId: string
  readonly target: string
  readonly variant: string | null
  readonly state: string
}

/**
 * A replay stores what it sends as one list, and a row only for each send that has ended. Rows of unfinished replays become such a
 * list; settings and counts that earlier versions didn't store get their values. Sent headers, stored as their differences from the
 * captured ones, are stored completely.
 */
const plannedReplays: Migration = {
  version: 350,
  name: 'planned-replays',
  up(db) {
    db.exec(`
      ALTER TABLE replay_jobs ADD COLUMN plan TEXT;
      -- seqs: the deliveries as 64-bit floats, until the replay is done. Apart from its row, which is read for each send.
      CREATE TABLE replay_plans (job_id TEXT PRIMARY KEY, seqs BLOB NOT NULL) STRICT;
      DELETE FROM sends WHERE job_id IN (SELECT id FROM replay_jobs WHERE state = 'preparing');
      DELETE FROM replay_jobs WHERE state = 'preparing';
      UPDATE replay_jobs SET settings = json_insert(settings, '$.query', NULL, '$.repeat', 1, '$.handlerId', NULL, '$.edits', json('{}'));
      UPDATE replay_jobs SET settings = json_insert(settings, '$.edits.method', NULL, '$.edits.headers', NULL,
        '$.edits.setHeaders', json('[]'), '$.edits.signature', 'recompute', '$.edits.timestamp', 'now');
      UPDATE replay_jobs SET counts = json_insert(counts, '$.recorded', 0) WHERE counts IS NOT NULL;
      UPDATE replay_jobs SET counts = (SELECT json_object('total', count(*) FILTER (WHERE state <> 'uncertain'), 'waiting', 0, 'underWay', 0,
          'passed', count(*) FILTER (WHERE outcome IN ('first-pass', 'still-passing', 'fixed')),
          'failed', count(*) FILTER (WHERE outcome IN ('first-fail', 'still-failing', 'regressed')),
          'recorded', count(*) FILTER (WHERE outcome = 'recorded'), 'fixed', count(*) FILTER (WHERE outcome = 'fixed'),
          'regressed', count(*) FILTER (WHERE outcome = 'regressed'), 'uncertain', count(*) FILTER (WHERE state = 'uncertain'),
          'notSent', count(*) FILTER (WHERE state = 'not-sent'), 'cancelled', count(*) FILTER (WHERE state = 'cancelled'))
        FROM sends WHERE job_id = replay_jobs.id) WHERE state = 'done' AND counts IS NULL;
      UPDATE replay_jobs SET plan = json_object('targets', json((SELECT json_group_object(hook, target)
        FROM (SELECT coalesce(d.hook_id, '') AS hook, min(s.target) AS target
              FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq WHERE s.job_id = replay_jobs.id GROUP BY 1))));
      UPDATE sends SET sent_headers = (
          SELECT json_group_array(json_array(h.value ->> 0, coalesce(changed.value ->> 1, h.value ->> 1)) ORDER BY h.key)
          FROM deliveries d, json_each(d.headers) h
            LEFT JOIN json_each(sends.sent_headers, '$.but') changed ON changed.value ->> 0 = h.key
          WHERE d.seq = sends.delivery_seq AND (changed.value IS NULL OR changed.value ->> 1 IS NOT NULL))
        WHERE sent_headers LIKE '{%';
    `)
    const open = db
      .prepare<[], string>('SELECT id FROM replay_jobs WHERE counts IS NULL')
      .pluck()
      .all()
    const sendsOf = db.prepare<[string], OldSend>(
      `SELECT s.position, s.delivery_seq AS deliverySeq, coalesce(d.hook_id, '') AS hookId, s.target, s.variant, s.state
       FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq WHERE s.job_id = ? ORDER BY s.position`,
    )
    const plan = db.prepare(
      'UPDATE replay_jobs SET plan = ?, reached = max(reached, ?) WHERE id = ?',
    )
    const list = db.prepare('INSERT INTO replay_plans (job_id, seqs) VALUES (?, ?)')
    for (const id of open) {
      const rows = sendsOf.all(id)
      const selected = rows.at(-1)?.position ?? 0
      const seqs = new Float64Array(selected)
      for (const { position, deliverySeq } of rows) seqs[position - 1] = deliverySeq
      const targets = Object.fromEntries(rows.map(({ hookId, target }) => [hookId, target]))
      const variant = rows[0]?.variant ?? null
      const begun = rows.findLast(({ state }) => state !== 'waiting' && state !== 'cancelled')
      const text = JSON.stringify({ targets, variant, selected, rounds: 1 })
      plan.run(text, begun?.position ?? 0, id)
      list.run(id, Buffer.from(seqs.buffer))
    }
    db.exec(`
      DELETE FROM sends WHERE job_id IN (SELECT id FROM replay_jobs WHERE counts IS NULL)
        AND state IN ('waiting', 'under-way', 'cancelled');
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
  plannedReplays,
]
