-- countersign.db, version 375

CREATE INDEX check_runs_target ON check_runs (target, seq);

CREATE UNIQUE INDEX composed_name ON composed (name) WHERE name IS NOT NULL;

CREATE INDEX deliveries_claims ON deliveries (seq) WHERE verified_here = 0;

CREATE INDEX deliveries_event ON deliveries (event);

CREATE UNIQUE INDEX deliveries_id ON deliveries (id);

CREATE INDEX deliveries_imported ON deliveries (seq) WHERE origin IN ('imported', 'shared');

CREATE INDEX deliveries_verdict ON deliveries (verdict);

CREATE INDEX flow_runs_flow ON flow_runs (flow, id);

CREATE INDEX handler_responses_failing ON handler_responses (seq) WHERE outcome = 'failing';

CREATE INDEX sends_delivery ON sends (delivery_seq, seq);

CREATE INDEX sends_forward ON sends (job_id, delivery_seq) WHERE kind = 'forward' AND state IN ('waiting', 'under-way');

CREATE INDEX sends_handler ON sends (handler, started_at) WHERE handler IS NOT NULL AND state = 'settled';

CREATE UNIQUE INDEX sends_job ON sends (job_id, position);

CREATE INDEX sends_settled ON sends (delivery_seq, started_at, seq, target, tamper, variant, passed) WHERE state = 'settled';

CREATE TABLE bodies (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

CREATE TABLE causes (seq INTEGER PRIMARY KEY, cause TEXT, keys INTEGER NOT NULL) STRICT;

CREATE TABLE check_runs (
    -- run: the summary, as JSON, in which a list needs no results; findings: the results and what is concluded from them.
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    run TEXT NOT NULL,
    findings TEXT NOT NULL
  ) STRICT;

CREATE TABLE composed (seq INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE) STRICT;

CREATE TABLE deleted (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

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
    replay_of TEXT,
    -- Null if it was received here, as nearly all are.
    origin TEXT,
    -- An imported verdict isn't verified until a signature proves it.
    verified_here INTEGER NOT NULL DEFAULT 1,
    -- JSON, like headers; null for none.
    trailers TEXT,
    -- What the receiver returned: a key of responses.
    response INTEGER,
    -- When it was judged again; null for the verdict at receipt.
    judged_at INTEGER
  ) STRICT;

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

CREATE TABLE details (
    -- A row for each described delivery. amount: as written.
    seq INTEGER PRIMARY KEY,
    amount TEXT,
    currency TEXT,
    merchant TEXT,
    schema_errors INTEGER
  ) STRICT;

CREATE TABLE environments (
    name TEXT PRIMARY KEY,
    mode TEXT NOT NULL,
    base_url TEXT NOT NULL,
    prefix TEXT NOT NULL,
    auth TEXT NOT NULL,
    ack TEXT NOT NULL,
    public_key TEXT,
    -- The secret key, or the client secret of bearer authentication, sealed by the vault.
    key_backend TEXT,
    key_sealed BLOB,
    -- How to reach and authenticate: client id, token address, header, authority, proxy, time-out. JSON, without secrets.
    connection TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL
  ) STRICT;

CREATE TABLE flow_deliveries (
    -- step: the name of the step that expected it; null if none did.
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    flow TEXT NOT NULL,
    step TEXT
  ) STRICT;

CREATE TABLE flow_runs (
    -- owner: the process that it goes in.
    id TEXT PRIMARY KEY,
    flow TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    summary TEXT NOT NULL,
    run TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

CREATE TABLE forward_progress (one INTEGER PRIMARY KEY CHECK (one = 1), routed_seq INTEGER NOT NULL) STRICT;

CREATE TABLE forward_targets (
    -- since_seq: only later deliveries go there.
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    settings TEXT NOT NULL,
    paused INTEGER NOT NULL,
    temporary INTEGER NOT NULL,
    since_seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

CREATE TABLE handler_responses (
    seq INTEGER PRIMARY KEY,
    send_seq INTEGER NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT;

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
    removed_at INTEGER,
    -- Null for the current environment's.
    prefix TEXT
  ) STRICT;

CREATE TABLE hook_secrets (
    id INTEGER PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES hooks (id),
    backend TEXT NOT NULL,
    sealed BLOB NOT NULL,
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
    -- An array of the names of custom headers. Their values often contain credentials, so the vault seals them.
    headers TEXT NOT NULL,
    environment TEXT NOT NULL REFERENCES environments (name),
    status TEXT NOT NULL,
    -- What the receiver answers its deliveries, and the record of it that the service last returned, secrets cut out. JSON.
    answering TEXT NOT NULL DEFAULT '{}',
    record TEXT,
    created_at INTEGER NOT NULL,
    headers_backend TEXT,
    headers_sealed BLOB
  ) STRICT;

CREATE TABLE index_changes (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;

CREATE TABLE marks (seq INTEGER PRIMARY KEY, pinned INTEGER NOT NULL, note TEXT) STRICT;

CREATE TABLE notifications (
    key INTEGER PRIMARY KEY,
    first_id TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    acknowledged INTEGER NOT NULL
  ) STRICT;

CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    described_seq INTEGER NOT NULL,
    -- A repair loses details: those up to here are computed again, newest first.
    undetailed_seq INTEGER NOT NULL DEFAULT 0,
    -- Up to this seq, every delivery that isn't deleted is in the totals.
    counted_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;

CREATE TABLE replay_jobs (
    -- owner: the process that works on it; alive_at: when it last said so, 0 once it no longer works on it.
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    owner INTEGER NOT NULL,
    alive_at INTEGER NOT NULL,
    -- A changed body, stored once for all its sends.
    body BLOB,
    plan TEXT NOT NULL,
    -- The cursor: sends up to this place may have gone. Then its sends that have ended, counted.
    reached INTEGER NOT NULL,
    total INTEGER NOT NULL,
    passed INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    recorded INTEGER NOT NULL DEFAULT 0,
    uncertain INTEGER NOT NULL DEFAULT 0,
    not_sent INTEGER NOT NULL DEFAULT 0,
    fixed INTEGER NOT NULL DEFAULT 0,
    regressed INTEGER NOT NULL DEFAULT 0
  , baseline TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE replay_plans (job_id TEXT PRIMARY KEY, seqs BLOB NOT NULL) STRICT;

CREATE TABLE responses (key INTEGER PRIMARY KEY, uses INTEGER NOT NULL, content TEXT NOT NULL) STRICT;

CREATE TABLE sandbox_objects (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    mode TEXT NOT NULL,
    data TEXT NOT NULL,
    secret_backend TEXT,
    secret_sealed BLOB,
    -- The headers of hooks and notifications, which data doesn't have.
    headers_backend TEXT,
    headers_sealed BLOB,
    PRIMARY KEY (kind, id)
  ) STRICT;

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
    truncated INTEGER NOT NULL DEFAULT 0,
    -- The same for equally changed requests; null for captured ones.
    variant TEXT,
    sent_method TEXT,
    sent_headers TEXT,
    kind TEXT NOT NULL DEFAULT 'replay',
    -- tries: failed attempts to forward it. answers: whether the service waits for the response.
    tries INTEGER NOT NULL DEFAULT 0,
    answers INTEGER NOT NULL DEFAULT 0,
    -- seq of the saved handler that it goes to, so that a rename shows everywhere; null if the endpoint isn't saved.
    handler INTEGER
  ) STRICT;

CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- search.db, version 6

CREATE TABLE blocks (number INTEGER PRIMARY KEY, least_at INTEGER NOT NULL, most_at INTEGER NOT NULL) STRICT;

CREATE TABLE fact_sets (facts TEXT PRIMARY KEY, event, event_source, event_candidates, hook_id, environment, mode, verdict, freshness, schema, attempt, truncated, method, http_version, attempt_of, duplicate_of, replay_of, malformed) WITHOUT ROWID;

CREATE TABLE seen_fields (
        event TEXT NOT NULL,
        path TEXT NOT NULL,
        first_seq INTEGER NOT NULL,
        PRIMARY KEY (event, path)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), indexed_seq INTEGER NOT NULL, indexed_id TEXT) STRICT;

CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, tokenize='ascii');

CREATE TABLE 'words_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'words_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
