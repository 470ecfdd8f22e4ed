/** Tables of deliveries and their marks. */
import type { Migration } from '../migrate.ts'

/**
 * Deliveries and their bytes. The hot table has exactly three indexes, because each costs acknowledgement time. Bodies are
 * separate, so that a scan of the list doesn't read them. Times are milliseconds since the epoch.
 */
const deliveries: Migration = {
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

/**
 * Marks of deliveries, and deleted deliveries that aren't removed yet. Both are separate, so that the hot table is never written
 * for them.
 */
const keeping: Migration = {
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

/**
 * Where a delivery comes from, and whether its verdict was computed here. An imported verdict is a claim until a signature verifies
 * it, so the index finds the claims among any number of received deliveries.
 */
const origin: Migration = {
  version: 150,
  name: 'origin',
  up(db) {
    db.exec(`
      -- origin: null if it was received here, as nearly all are.
      ALTER TABLE deliveries ADD COLUMN origin TEXT;
      ALTER TABLE deliveries ADD COLUMN verified_here INTEGER NOT NULL DEFAULT 1;
      -- A hook that only the file names must not sign: the signature finds the hook again.
      UPDATE deliveries SET origin = 'imported', verified_here = 0,
          hook_id = CASE WHEN hook_id IN (SELECT id FROM hooks) THEN NULL ELSE hook_id END
        WHERE remote LIKE 'imported:%';
      CREATE INDEX deliveries_claims ON deliveries (seq) WHERE verified_here = 0;
    `)
  },
}

/** Trailers after a chunked body. Very few deliveries have any. */
const trailers: Migration = {
  version: 170,
  name: 'trailers',
  up(db) {
    db.exec(`
      -- trailers: JSON, like headers; null for none.
      ALTER TABLE deliveries ADD COLUMN trailers TEXT;
    `)
  },
}

/**
 * What payloads show, why signatures are invalid, and what the receiver returned. All of it is found behind the receiver, and
 * separate, so that the hot table neither grows nor is rewritten.
 */
const glance: Migration = {
  version: 200,
  name: 'glance',
  up(db) {
    db.exec(`
      -- A row for each described delivery. amount: as written.
      CREATE TABLE details (
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
    `)
  },
}

/** Deliveries counted over time. Those stored by earlier versions are counted in the background. */
const totals: Migration = {
  version: 230,
  name: 'totals',
  up(db) {
    db.exec(`
      -- width: 60000, 3600000 or 86400000; at: a multiple of it. Both in milliseconds.
      CREATE TABLE delivery_totals (
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
    `)
  },
}

/** Takes away the colors of deliveries; pins and notes stay. */
const colors: Migration = {
  version: 290,
  name: 'colors',
  up(db) {
    db.exec(`
      DELETE FROM marks WHERE pinned = 0 AND note IS NULL;
      ALTER TABLE marks DROP COLUMN colour;
    `)
  },
}

/** When a delivery was judged again, in milliseconds since the epoch; null for the verdict at receipt. */
const judgedAt: Migration = {
  version: 320,
  name: 'judged again',
  up(db) {
    db.exec('ALTER TABLE deliveries ADD COLUMN judged_at INTEGER')
  },
}

/** Changes that the search index hasn't taken yet. */
const indexChanges: Migration = {
  version: 340,
  name: 'index changes',
  up(db) {
    db.exec('CREATE TABLE index_changes (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT')
  },
}

export const deliveryMigrations: readonly Migration[] = [
  deliveries,
  keeping,
  origin,
  trailers,
  glance,
  totals,
  colors,
  judgedAt,
  indexChanges,
]
