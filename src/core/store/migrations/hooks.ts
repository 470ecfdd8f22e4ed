/** Environments, hooks, saved handlers and the sandbox. */
import type { Migration } from '../migrate.ts'

/** Environments, hooks, their secrets (sealed by the vault), small settings, and the sandbox's objects. */
const hooks: Migration = {
  version: 20,
  name: 'hooks',
  up(db) {
    db.exec(`
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
    `)
  },
}

/** Columns for the sealed values of custom headers, which often contain credentials. */
const sealedHeaders: Migration = {
  version: 140,
  name: 'sealed-headers',
  up(db) {
    db.exec(`
      -- hooks.headers: an array of the names from now on.
      ALTER TABLE hooks ADD COLUMN headers_backend TEXT;
      ALTER TABLE hooks ADD COLUMN headers_sealed BLOB;
      -- Of hooks and notifications; data.headers is empty then.
      ALTER TABLE sandbox_objects ADD COLUMN headers_backend TEXT;
      ALTER TABLE sandbox_objects ADD COLUMN headers_sealed BLOB;
    `)
  },
}

/** Saved handlers, and which of them each send went to. */
const handlers: Migration = {
  version: 180,
  name: 'handlers',
  up(db) {
    db.exec(`
      -- target: url as a request has it. secret: its own. checks: the last ones, JSON. removed_at: its sends still have its name.
      CREATE TABLE handlers (
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
    `)
  },
}

/** ngrok reads its token from its own configuration. */
const tunnelToken: Migration = {
  version: 275,
  name: 'no tunnel token',
  up(db) {
    db.exec("DELETE FROM settings WHERE name = 'tunnels.ngrok-token'")
  },
}

/** The times of sleep that earlier versions stored are only in the log now. */
const withoutGaps: Migration = {
  version: 300,
  name: 'without gaps',
  up(db) {
    db.exec("DELETE FROM settings WHERE name = 'gaps'")
  },
}

/** Null for the current environment's. */
const handlerPrefix: Migration = {
  version: 310,
  name: 'prefix of handlers',
  up(db) {
    db.exec('ALTER TABLE handlers ADD COLUMN prefix TEXT')
  },
}

export const hookMigrations: readonly Migration[] = [
  hooks,
  sealedHeaders,
  handlers,
  tunnelToken,
  withoutGaps,
  handlerPrefix,
]
