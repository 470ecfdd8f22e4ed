/**
 * The search index: `search.db`, a separate file beside the deliveries, derived from them and never the only copy of anything. It
 * isn't in the database, because a merge of its words would stall the thread that writes. If it is damaged, lost, of another
 * version or of another database, it is removed and filled again; nothing checks it in parts.
 *
 * Deliveries are indexed in the order of their seqs, and `indexed_seq` moves in the same transaction.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { FACT_COLUMNS } from './contents.ts'
import { READER_CACHE_KIB, type ReadableDb, type WritableDb, isBusy } from '../open.ts'
import { forgetStatements, rowStatement, valuesOf } from '../statements.ts'

declare const searchWritable: unique symbol
export type SearchDb = Database & { readonly [searchWritable]: true }

/** Raise this whenever the indexed data or its form changes: an index of another version is recreated. */
const INDEX_VERSION = 6
const APPLICATION_ID = 0x43_53_49_58

/** The times of deliveries are noted in blocks of this many seqs. */
export const BLOCK_SEQS = 1_024

const BUSY_MS = 5_000
/** Words are inserted into the same few pages again and again. */
const CACHE_KIB = 8_192
const WAL_KEPT_BYTES = 16 * 1_048_576

export function searchFileOf(dataFolder: string): string {
  return join(dataFolder, 'search.db')
}

/** Removes the index; the next opening creates an empty one. */
export function removeSearch(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true })
}

function openFile(file: string): Database {
  closeSync(openSync(file, 'a', 0o600))
  const db = new Sqlite(file, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    // Data lost in a power cut is filled again.
    db.pragma('synchronous = NORMAL')
    db.pragma(`cache_size = -${CACHE_KIB}`)
    db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function isOurs(db: Database): boolean {
  return (
    db.pragma('application_id', { simple: true }) === APPLICATION_ID &&
    db.pragma('user_version', { simple: true }) === INDEX_VERSION
  )
}

function makeTables(db: Database): void {
  db.transaction(() => {
    db.exec(`
      -- One row. indexed_seq: every delivery up to it is indexed. indexed_id: its id, null if it was deleted.
      CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), indexed_seq INTEGER NOT NULL, indexed_id TEXT) STRICT;
      INSERT INTO state VALUES (1, 0, NULL);

      CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, tokenize='ascii');

      -- Its columns are named as those of the deliveries: a condition that reads nothing else can be asked of them.
      CREATE TABLE fact_sets (facts TEXT PRIMARY KEY, ${FACT_COLUMNS.join(', ')}) WITHOUT ROWID;

      -- The earliest and the latest time of a block: they only widen.
      CREATE TABLE blocks (number INTEGER PRIMARY KEY, least_at INTEGER NOT NULL, most_at INTEGER NOT NULL) STRICT;

      -- The fields that payloads of each event have had, and the oldest delivery that had it.
      CREATE TABLE seen_fields (
        event TEXT NOT NULL,
        path TEXT NOT NULL,
        first_seq INTEGER NOT NULL,
        PRIMARY KEY (event, path)
      ) STRICT, WITHOUT ROWID;
    `)
    // Otherwise each deletion may merge for seconds. SQLite takes this as an integer only.
    db.prepare("INSERT INTO words (words, rank) VALUES ('deletemerge', ?)").run(0n)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${INDEX_VERSION}`)
  }).immediate()
}

/** Whether the last indexed delivery is still what it was: another database, or an older copy, has another one there. */
function isOf(db: Database, main: ReadableDb): boolean {
  const { seq, id } = rowStatement<{ seq: number; id: string | null }>(
    db,
    'SELECT indexed_seq AS seq, indexed_id AS id FROM state',
  ).get()!
  const stored = valuesOf<string>(main, 'SELECT id FROM deliveries WHERE seq = ?').get(seq)
  return (stored ?? null) === id
}

/**
 * Opens the index of a database for its only writer. An index of another version or database, or one that can't be opened, is
 * replaced by an empty one.
 */
export function openSearch(file: string, main: ReadableDb): SearchDb {
  let db: Database | undefined
  try {
    db = openFile(file)
    if (isOurs(db) && isOf(db, main)) return db as SearchDb
  } catch (error) {
    // Busy doesn't indicate damage: another process is filling it.
    if (isBusy(error)) throw error
  }
  db?.close()
  removeSearch(file)
  const made = openFile(file)
  makeTables(made)
  return made as SearchDb
}

const attached = new WeakSet<ReadableDb>()

/** Whether the index is attached to this connection. */
export function hasSearch(db: ReadableDb): boolean {
  return attached.has(db)
}

/** The seq up to which every delivery is indexed; 0 without an index. */
export function indexedSeq(db: ReadableDb): number {
  return hasSearch(db)
    ? (valuesOf<number>(db, 'SELECT indexed_seq FROM search.state').get() ?? 0)
    : 0
}

/** Attaches the index to a reading connection as `search`. */
export function attachSearch(db: ReadableDb, file: string): void {
  if (hasSearch(db)) return
  db.prepare('ATTACH ? AS search').run(file)
  attached.add(db)
  db.pragma(`search.cache_size = -${READER_CACHE_KIB}`)
}

export function detachSearch(db: ReadableDb): void {
  if (!hasSearch(db)) return
  forgetStatements(db)
  db.exec('DETACH search')
  attached.delete(db)
}

// Deliveries whose entry in the index is out of date. They are written in the transaction of the change and stay until the index has
// taken them, so that neither a stop nor an index that can't be opened loses one.

export interface IndexChange {
  readonly id: number
  readonly seq: number
}

/** Call it within the transaction of the change. */
export function noteIndexChanges(db: WritableDb, seqs: readonly number[]): void {
  if (seqs.length === 0) return
  rowStatement(db, 'INSERT INTO index_changes (seq) SELECT value FROM json_each(?)').run(
    JSON.stringify(seqs),
  )
}

/** The earliest changes that the index hasn't taken. */
export function readIndexChanges(db: ReadableDb, limit: number): IndexChange[] {
  return rowStatement<IndexChange>(db, 'SELECT id, seq FROM index_changes ORDER BY id LIMIT ?').all(
    limit,
  )
}

/** The index has taken these. A delivery that changed again in the meantime has another row. */
export function dropIndexChanges(db: WritableDb, ids: readonly number[]): void {
  rowStatement(db, 'DELETE FROM index_changes WHERE id IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(ids),
  )
}
