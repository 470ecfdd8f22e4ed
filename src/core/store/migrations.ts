/**
 * The steps of the schema, from an empty file to the current tables, and how a database is brought there. Times are milliseconds since
 * the epoch.
 */
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { FILL_RESPONSES } from './handler-responses.ts'

/** One step of the schema. A new one gets the highest version; a released step is never edited. */
export interface Migration {
  readonly version: number
  up(db: Database): void
}

const sql = (text: string) => (db: Database) => void db.exec(text)

interface OldSend {
  readonly position: number
  readonly deliverySeq: number
  readonly hookId: string
  readonly target: string
  readonly variant: string | null
  readonly state: string
}

export const migrations: readonly Migration[] = [
  // Deliveries and their bytes. The hot table has exactly three indexes, because each costs acknowledgement time. Bodies are
  // separate, so that a scan of the list doesn't read them.
  {
    version: 10,
    up: sql(`
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
    `),
  },
  // Environments, hooks, their secrets (sealed by the vault), small settings, and the sandbox's objects.
  {
    version: 20,
    up: sql(`
      CREATE TABLE environments (
        name TEXT PRIMARY KEY,
        mode TEXT NOT NULL,
        base_url TEXT NOT NULL,
        prefix TEXT NOT NULL,
        auth TEXT NOT NULL,
        ack TEXT NOT NULL,
        public_key TEXT,
        -- The secret key, or the client secret of bearer authentication.
        key_backend TEXT,
        key_sealed BLOB,
        -- How to reach and authenticate: client id, token address, header, authority, proxy, time-out. JSON, without secrets.
        connection TEXT NOT NULL DEFAULT '{}',
        created_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE hooks (
        id TEXT PRIMARY KEY,
        remote_id TEXT,
        kind TEXT,
        event TEXT NOT NULL,
        url TEXT NOT NULL,
        program_id TEXT,
        offer_id TEXT,
        headers TEXT NOT NULL,
        environment TEXT NOT NULL REFERENCES environments (name),
        status TEXT NOT NULL,
        -- What the receiver answers its deliveries, and the record of it that the service last returned, secrets cut out. JSON.
        answering TEXT NOT NULL DEFAULT '{}',
        record TEXT,
        created_at INTEGER NOT NULL
      ) STRICT;

      -- Previous secrets stay, so that what they signed still verifies: the newest of a hook is its present one.
      CREATE TABLE hook_secrets (
        id INTEGER PRIMARY KEY,
        hook_id TEXT NOT NULL REFERENCES hooks (id),
        backend TEXT NOT NULL,
        sealed BLOB NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

      CREATE TABLE sandbox_objects (
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        mode TEXT NOT NULL,
        data TEXT NOT NULL,
        secret_backend TEXT,
        secret_sealed BLOB,
        PRIMARY KEY (kind, id)
      ) STRICT;
    `),
  },
  // Marks of deliveries, and deleted deliveries that aren't removed yet. Both are separate, so that the hot table is never
  // written for them.
  {
    version: 50,
    up: sql(`
      CREATE TABLE marks (
        -- Only marked deliveries have a row.
        seq INTEGER PRIMARY KEY,
        pinned INTEGER NOT NULL,
        note TEXT,
        colour TEXT
      ) STRICT;

      -- Hidden at once, taken out behind; at: milliseconds since the epoch.
      CREATE TABLE deleted (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
    `),
  },
  // Sends of stored deliveries, and the jobs that requested them. A send has a row as soon as it is requested, so that the rest
  // of a job is known after a crash.
  {
    version: 60,
    up: sql(`
      CREATE TABLE replay_jobs (
        -- owner: the process that works on it; alive_at: when it last said so.
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
    `),
  },
  // Replays that change the request. The changed body is stored once with the job, not with each send; each send stores its
  // actual request. `variant` is the same for equally changed requests, null for captured ones.
  {
    version: 61,
    up: sql(`
      ALTER TABLE replay_jobs ADD COLUMN body BLOB;
      ALTER TABLE sends ADD COLUMN variant TEXT;
      ALTER TABLE sends ADD COLUMN sent_method TEXT;
      ALTER TABLE sends ADD COLUMN sent_headers TEXT;
    `),
  },
  // Forward targets. Their pending deliveries are ordinary sends, so that a delivery has one list of everything sent from it;
  // the index covers only pending ones.
  {
    version: 70,
    up: sql(`
      CREATE TABLE forward_targets (
        -- since_seq: only later deliveries go there.
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

      -- tries: failed attempts to forward it. answers: whether the service waits for the response.
      ALTER TABLE sends ADD COLUMN kind TEXT NOT NULL DEFAULT 'replay';
      ALTER TABLE sends ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE sends ADD COLUMN answers INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX sends_forward ON sends (job_id, delivery_seq) WHERE kind = 'forward' AND state IN ('waiting', 'under-way');
    `),
  },
  // Handler checks and their results, so that each can be compared with the previous one.
  {
    version: 75,
    up: sql(`
      CREATE TABLE check_runs (
        -- run: the summary, as JSON, in which a list needs no results; findings: the results and what is concluded from them.
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        target TEXT NOT NULL,
        run TEXT NOT NULL,
        findings TEXT NOT NULL
      ) STRICT;
      CREATE INDEX check_runs_target ON check_runs (target, seq);
    `),
  },
  // Runs of flows, each stored completely as JSON, with separate columns for lists.
  {
    version: 80,
    up: sql(`
      CREATE TABLE flow_runs (
        -- owner: the process that it goes in.
        id TEXT PRIMARY KEY,
        flow TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        summary TEXT NOT NULL,
        run TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX flow_runs_flow ON flow_runs (flow, id);
    `),
  },
  // An index of settled sends: each one that ends is compared with the last similar one, found without reading the delivery's
  // other sends, however many there are.
  {
    version: 100,
    up: sql(`
      CREATE INDEX sends_settled ON sends (delivery_seq, started_at, seq, target, tamper, variant, passed) WHERE state = 'settled';
    `),
  },
  // How far a replay may have progressed: one number per job, instead of a change to each send before it starts.
  {
    version: 120,
    up: sql(`
      -- reached: sends that wait, up to this place, may have gone.
      ALTER TABLE replay_jobs ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
    `),
  },
  // The totals of a finished replay, stored with it: counting a million sends again would slow every list of replays.
  {
    version: 130,
    up: sql(`
      -- counts: JSON, of a job that has ended; null before, and of those that had ended by then: their sends are counted.
      ALTER TABLE replay_jobs ADD COLUMN counts TEXT;
    `),
  },
  // Columns for the sealed values of custom headers, which often contain credentials.
  {
    version: 140,
    up: sql(`
      -- hooks.headers: an array of the names from now on.
      ALTER TABLE hooks ADD COLUMN headers_backend TEXT;
      ALTER TABLE hooks ADD COLUMN headers_sealed BLOB;
      -- Of hooks and notifications; data.headers is empty then.
      ALTER TABLE sandbox_objects ADD COLUMN headers_backend TEXT;
      ALTER TABLE sandbox_objects ADD COLUMN headers_sealed BLOB;
    `),
  },
  // Where a delivery comes from, and whether its verdict was computed here. An imported verdict is a claim until a signature
  // verifies it, so the index finds the claims among any number of received deliveries.
  {
    version: 150,
    up: sql(`
      -- origin: null if it was received here, as nearly all are.
      ALTER TABLE deliveries ADD COLUMN origin TEXT;
      ALTER TABLE deliveries ADD COLUMN verified_here INTEGER NOT NULL DEFAULT 1;
      -- A hook that only the file names must not sign: the signature finds the hook again.
      UPDATE deliveries SET origin = 'imported', verified_here = 0,
          hook_id = CASE WHEN hook_id IN (SELECT id FROM hooks) THEN NULL ELSE hook_id END
        WHERE remote LIKE 'imported:%';
      CREATE INDEX deliveries_claims ON deliveries (seq) WHERE verified_here = 0;
    `),
  },
  // Trailers after a chunked body. Very few deliveries have any.
  {
    version: 170,
    up: sql(`
      -- trailers: JSON, like headers; null for none.
      ALTER TABLE deliveries ADD COLUMN trailers TEXT;
    `),
  },
  // Saved handlers, and which of them each send went to.
  {
    version: 180,
    up: sql(`
      CREATE TABLE handlers (
        -- target: url as a request has it. secret: its own. checks: the last ones, JSON. removed_at: its sends still have its name.
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        url TEXT NOT NULL,
        target TEXT NOT NULL,
        registered_url TEXT,
        hook_id TEXT,
        secret_backend TEXT,
        secret_sealed BLOB,
        target_ca TEXT,
        is_current INTEGER NOT NULL DEFAULT 0,
        checks TEXT NOT NULL DEFAULT '[]',
        created_at INTEGER NOT NULL,
        removed_at INTEGER
      ) STRICT;

      -- handler: seq of the saved handler that it goes to, so that a rename shows everywhere; null if the endpoint isn't saved.
      ALTER TABLE sends ADD COLUMN handler INTEGER;
      CREATE INDEX sends_handler ON sends (handler, started_at) WHERE handler IS NOT NULL AND state = 'settled';
    `),
  },
  // Built-in flows run as one, each group stored completely as JSON.
  {
    version: 186,
    up: sql(`
      CREATE TABLE flow_groups (
        -- number: counts up, as shown; owner: the process that runs it.
        id TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        run TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // The response of the user's handler to each delivery: a reference to the last send that counts, and how the response is
  // judged. Receiving writes nothing here.
  {
    version: 190,
    up: sql(`
      CREATE TABLE handler_responses (
        seq INTEGER PRIMARY KEY,
        send_seq INTEGER NOT NULL,
        outcome TEXT NOT NULL
      ) STRICT;
      CREATE INDEX handler_responses_failing ON handler_responses (seq) WHERE outcome = 'failing';
      ${FILL_RESPONSES};
    `),
  },
  // The run that each delivery of a flow belongs to. Only flows write here.
  {
    version: 195,
    up: sql(`
      CREATE TABLE flow_deliveries (
        -- step: the name of the step that expected it; null if none did.
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
    `),
  },
  // What payloads show, why signatures are invalid, and what the receiver returned. All of it is found behind the receiver, and
  // separate, so that the hot table neither grows nor is rewritten.
  {
    version: 200,
    up: sql(`
      CREATE TABLE details (
        -- A row for each described delivery. amount: as written.
        seq INTEGER PRIMARY KEY,
        amount TEXT,
        currency TEXT,
        merchant TEXT,
        schema_errors INTEGER
      ) STRICT;
      -- Earlier deliveries get their details in the background, newest first: those up to here have none yet.
      ALTER TABLE progress ADD COLUMN undetailed_seq INTEGER NOT NULL DEFAULT 0;
      UPDATE progress SET undetailed_seq = described_seq;

      -- A row for each diagnosed delivery. cause: null if nothing explains it. keys: which hooks and secrets it was diagnosed with.
      CREATE TABLE causes (seq INTEGER PRIMARY KEY, cause TEXT, keys INTEGER NOT NULL) STRICT;

      -- What the receiver returned, once for all deliveries that it was returned to. key: a short hash. content: JSON.
      CREATE TABLE responses (key INTEGER PRIMARY KEY, uses INTEGER NOT NULL, content TEXT NOT NULL) STRICT;
      ALTER TABLE deliveries ADD COLUMN response INTEGER;
    `),
  },
  // Deliveries counted over time. Those stored by earlier versions are counted in the background.
  {
    version: 230,
    up: sql(`
      CREATE TABLE delivery_totals (
        -- width: 60000, 3600000 or 86400000; at: a multiple of it. Both in milliseconds.
        width INTEGER NOT NULL,
        at INTEGER NOT NULL,
        valid INTEGER NOT NULL,
        stale INTEGER NOT NULL,
        unverified INTEGER NOT NULL,
        invalid INTEGER NOT NULL,
        malformed INTEGER NOT NULL,
        acknowledged INTEGER NOT NULL,
        rejected INTEGER NOT NULL,
        neutral INTEGER NOT NULL,
        failing INTEGER NOT NULL,
        PRIMARY KEY (width, at)
      ) STRICT, WITHOUT ROWID;
      -- Up to this seq, every delivery that isn't deleted is in the totals.
      ALTER TABLE progress ADD COLUMN counted_seq INTEGER NOT NULL DEFAULT 0;
    `),
  },
  // Targets no longer wait for a person's response: their hooks' rules respond, and targets without a URL go.
  {
    version: 265,
    up: sql(`
      UPDATE sends SET state = 'cancelled', error = 'The target had no URL.'
      WHERE kind = 'forward' AND state IN ('waiting', 'under-way')
        AND job_id IN (SELECT id FROM forward_targets WHERE settings ->> '$.url' = '');
      DELETE FROM forward_targets WHERE settings ->> '$.url' = '';
      UPDATE forward_targets SET settings = json_set(settings, '$.answer', 'rule') WHERE settings ->> '$.answer' = 'by-hand';
    `),
  },
  // Flows that run one after the other are stored as their runs only.
  {
    version: 270,
    up: sql('DROP TABLE flow_groups;'),
  },
  // ngrok reads its token from its own configuration.
  {
    version: 275,
    up: sql("DELETE FROM settings WHERE name = 'tunnels.ngrok-token'"),
  },
  // Takes away the colors of deliveries; pins and notes stay.
  {
    version: 290,
    up: sql(`
      DELETE FROM marks WHERE pinned = 0 AND note IS NULL;
      ALTER TABLE marks DROP COLUMN colour;
    `),
  },
  // The times of sleep that earlier versions stored are only in the log now.
  {
    version: 300,
    up: sql("DELETE FROM settings WHERE name = 'gaps'"),
  },
  // Null for the current environment's.
  {
    version: 310,
    up: sql('ALTER TABLE handlers ADD COLUMN prefix TEXT'),
  },
  // When a delivery was judged again, in milliseconds since the epoch; null for the verdict at receipt.
  {
    version: 320,
    up: sql('ALTER TABLE deliveries ADD COLUMN judged_at INTEGER'),
  },
  // Totals by minute leave out deliveries of flow runs, as the list does: they are counted again.
  {
    version: 330,
    up(db) {
      if (db.prepare('SELECT 1 FROM flow_deliveries').get() === undefined) return
      db.exec('DELETE FROM delivery_totals; UPDATE progress SET counted_seq = 0;')
    },
  },
  // Changes that the search index hasn't taken yet.
  {
    version: 340,
    up: sql('CREATE TABLE index_changes (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT'),
  },
  // A replay stores what it sends as one list, and a row only for each send that has ended. Rows of unfinished replays become
  // such a list; settings and counts that earlier versions didn't store get their values. Sent headers, stored as their
  // differences from the captured ones, are stored completely.
  {
    version: 350,
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
  },
  // A payment of the sandbox has the time of its clearing, which was a row beside it.
  {
    version: 360,
    up: sql(`
      UPDATE sandbox_objects SET data = json_set(data, '$.clearsAt', (
          SELECT s.data ->> '$.dueAt' FROM sandbox_objects s
          WHERE s.kind = 'settlement' AND s.id = sandbox_objects.id AND json_valid(s.data)))
        WHERE kind = 'payment' AND json_valid(data);
      DELETE FROM sandbox_objects WHERE kind = 'settlement';
    `),
  },
  // Tells whether a list must be ordered by time instead of by seq.
  {
    version: 370,
    up: sql("CREATE INDEX deliveries_imported ON deliveries (seq) WHERE origin = 'imported';"),
  },
]

export const NEWEST_VERSION = migrations.at(-1)!.version

/**
 * Runs pending steps and sets the version, all in one transaction or nothing; returns whether there were any. Throws `DATABASE_FROM_FUTURE`, without changes, if the file is newer than
 * this program.
 */
export function migrate(db: Database, steps: readonly Migration[] = migrations): boolean {
  const presentVersion = () => db.pragma('user_version', { simple: true }) as number
  const present = presentVersion()
  const newest = steps.at(-1)?.version ?? 0
  if (present > newest) {
    throw new AppError(
      'DATABASE_FROM_FUTURE',
      `${db.name} was written by a newer version of Countersign (schema ${present}, this one knows ${newest}). Update Countersign, or choose another folder with --data.`,
    )
  }
  if (present === newest) return false
  return db
    .transaction(() => {
      // Another process may have migrated it in the meantime.
      const reached = presentVersion()
      const pending = steps.filter((migration) => migration.version > reached)
      for (const migration of pending) migration.up(db)
      if (pending.length > 0) db.pragma(`user_version = ${newest}`)
      return pending.length > 0
    })
    .exclusive()
}

/** No schema will have a higher version: one that does has a damaged number. */
const HIGHEST_VERSION = 65_535

/** The columns of a database, as "table.column". */
export function columnsOf(db: Database): ReadonlySet<string> {
  return new Set(
    db
      .prepare<[], string>(
        `SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .pluck()
      .all(),
  )
}

/**
 * The version of a database that claims one, or null if that can't be read: its columns decide, because a number may be damaged.
 * `newer`: written by a later version of Countersign.
 */
export function versionByColumns(
  columns: ReadonlySet<string>,
  claimed: number | null,
): number | 'newer' {
  const fits = (version: number) => {
    const db = new Sqlite(':memory:')
    try {
      migrate(
        db,
        migrations.filter((migration) => migration.version <= version),
      )
      return columns.isSubsetOf(columnsOf(db))
    } finally {
      db.close()
    }
  }
  const isPast = claimed !== null && claimed <= NEWEST_VERSION
  if (isPast && fits(claimed)) return claimed
  const isLater = claimed !== null && !isPast && claimed <= HIGHEST_VERSION
  if (isLater && fits(NEWEST_VERSION)) return 'newer'
  return migrations.findLast(({ version }) => fits(version))?.version ?? 'newer'
}
