/**
 * The search index: its own file, because a merge would stall the writer. It is derived, so a
 * damaged one is removed and filled again.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { forgetStatements, rowStatement, columnStatement } from '../statements.ts'
import { READER_CACHE_KIB, type ReadableDb } from '../database.ts'
import { isBusy } from '../sqlite-errors.ts'
import { FACT_COLUMNS } from './index-facts.ts'

declare const searchWritable: unique symbol
export type SearchDb = Database & { readonly [searchWritable]: true }

/** Version of the indexed data, raised with each change of it. */
const INDEX_VERSION = 6
const APPLICATION_ID = 0x43_53_49_58

/** Seqs per block of times. */
export const BLOCK_SEQS = 1_024

const BUSY_MS = 5_000
/** KiB, many because words go into the same pages. */
const CACHE_KIB = 8_192
const WAL_KEPT_BYTES = 16 * 1_048_576

export function searchFileOf(dataFolder: string): string {
  return join(dataFolder, 'search.db')
}

export function removeSearch(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true })
}

function openFile(file: string): Database {
  closeSync(openSync(file, 'a', 0o600))
  const db = new Sqlite(file, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    // Lost data is filled again.
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
    // Otherwise each deletion may merge for seconds. SQLite takes an integer only.
    db.prepare("INSERT INTO words (words, rank) VALUES ('deletemerge', ?)").run(0n)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${INDEX_VERSION}`)
  }).immediate()
}

/** Whether the index is of this database, not of a copy. */
function isOfDatabase(db: Database, main: ReadableDb): boolean {
  const { seq, id } = rowStatement<{ seq: number; id: string | null }>(
    db,
    'SELECT indexed_seq AS seq, indexed_id AS id FROM state',
  ).get()!
  const stored = columnStatement<string>(main, 'SELECT id FROM deliveries WHERE seq = ?').get(seq)
  return (stored ?? null) === id
}

/** Opens the index for its only writer; an unusable one is replaced. */
export function openSearch(file: string, main: ReadableDb): SearchDb {
  let db: Database | undefined
  try {
    db = openFile(file)
    if (isOurs(db) && isOfDatabase(db, main)) return db as SearchDb
  } catch (error) {
    // Busy isn't damage: another process is filling it.
    if (isBusy(error)) throw error
  }
  db?.close()
  removeSearch(file)
  const created = openFile(file)
  makeTables(created)
  return created as SearchDb
}

const attached = new WeakSet<ReadableDb>()

export function hasSearch(db: ReadableDb): boolean {
  return attached.has(db)
}

/** Returns the seq up to which every delivery is indexed, or 0. */
export function indexedSeq(db: ReadableDb): number {
  return hasSearch(db)
    ? (columnStatement<number>(db, 'SELECT indexed_seq FROM search.state').get() ?? 0)
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
