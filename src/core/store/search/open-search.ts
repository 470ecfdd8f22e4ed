/**
 * The search index: `search.db`, a separate file beside the deliveries, derived from them and never the only copy of anything.
 * If it is damaged, it is removed and filled again.
 *
 * Words are in partitions of 65,536 seqs, one FTS5 table each: a search goes from the newest down and stops when its page is
 * full, so even the most common word costs one partition, and damage costs refilling one. The tables are contentless: they
 * can't be rebuilt from themselves, so the index stores which delivery it has under each seq. It also stores which deliveries
 * name an object of the service (`contents.ts`), and the fields that payloads have had.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { linksTable, FACT_COLUMNS } from './contents.ts'
import { READER_CACHE_KIB, type ReadableDb, isBusy } from '../open.ts'
import { forgetStatements } from '../statements.ts'

declare const searchWritable: unique symbol
export type SearchDb = Database & { readonly [searchWritable]: true }

/** Raise this whenever the indexed data or its form changes: an index of another version is recreated. */
const INDEX_VERSION = 5
const APPLICATION_ID = 0x43_53_49_58

export const PARTITION_SEQS = 65_536
/** Deliveries are counted in blocks of this many seqs; a partition has an integer number of blocks. */
export const BLOCK_SEQS = 1_024

const BUSY_MS = 5_000
/** Words and links are inserted anywhere in the newest partition, so its pages are needed again and again. */
const CACHE_KIB = 8_192
const WAL_KEPT_BYTES = 16 * 1_048_576

export function searchFileOf(dataFolder: string): string {
  return join(dataFolder, 'search.db')
}

export function partitionOf(seq: number): number {
  return Math.floor(seq / PARTITION_SEQS)
}

/** The name of a partition's word table. */
export function wordsTable(partition: number): string {
  return `words_${partition}`
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
    // Data lost in a power cut is filled again: mark and words are in one transaction.
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
      -- One row. dirty: written to and not yet closed in order, or closed before it was found to be right.
      CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), dirty INTEGER NOT NULL) STRICT;
      INSERT INTO state VALUES (1, 0);

      -- How far each partition is filled: deliveries up to the mark are indexed, those above it are not.
      CREATE TABLE partitions (number INTEGER PRIMARY KEY, mark INTEGER NOT NULL) STRICT;

      -- The evidence: which delivery was indexed under a seq, and its facts.
      CREATE TABLE documents (
        seq INTEGER PRIMARY KEY,
        evidence INTEGER NOT NULL,
        fact_set INTEGER NOT NULL
      ) STRICT;
      -- Its columns are named as those of the deliveries: a condition that reads nothing else can be asked of them.
      CREATE TABLE fact_sets (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE, ${FACT_COLUMNS.join(', ')});
      CREATE TABLE fact_counts (
        fact_set INTEGER NOT NULL,
        partition INTEGER NOT NULL,
        deliveries INTEGER NOT NULL,
        PRIMARY KEY (fact_set, partition)
      ) STRICT, WITHOUT ROWID;

      -- What a block holds at most: times only widen until it is filled again.
      CREATE TABLE blocks (
        number INTEGER PRIMARY KEY,
        deliveries INTEGER NOT NULL,
        least_at INTEGER NOT NULL,
        most_at INTEGER NOT NULL
      ) STRICT;

      -- The fields that payloads of each event have had, and the oldest delivery that had it.
      CREATE TABLE seen_fields (
        event TEXT NOT NULL,
        path TEXT NOT NULL,
        first_seq INTEGER NOT NULL,
        PRIMARY KEY (event, path)
      ) STRICT, WITHOUT ROWID;
    `)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${INDEX_VERSION}`)
  }).immediate()
}

/** Opens the index for its only writer; an index of another version, or one that can't be opened, is replaced by an empty one. */
export function openSearch(file: string): SearchDb {
  try {
    const db = openFile(file)
    if (isOurs(db)) return db as SearchDb
    db.close()
  } catch (error) {
    // Busy doesn't indicate damage: another process is filling it.
    if (isBusy(error)) throw error
  }
  removeSearch(file)
  const db = openFile(file)
  makeTables(db)
  return db as SearchDb
}

/** Creates a partition's tables if they are missing. */
export function ensurePartition(db: SearchDb, partition: number): void {
  db.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${wordsTable(partition)} USING fts5 (text, content='', contentless_delete=1, tokenize='ascii')`,
  )
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${linksTable(partition)} (key INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, seq)) STRICT, WITHOUT ROWID`,
  )
  db.prepare('INSERT OR IGNORE INTO partitions (number, mark) VALUES (?, ?)').run(
    partition,
    partition * PARTITION_SEQS - 1,
  )
}

/** Empties a partition, so that it is filled again. */
export function emptyPartition(db: SearchDb, partition: number): void {
  const from = partition * PARTITION_SEQS
  const to = from + PARTITION_SEQS - 1
  db.transaction(() => {
    db.exec(
      `DROP TABLE IF EXISTS ${wordsTable(partition)}; DROP TABLE IF EXISTS ${linksTable(partition)}`,
    )
    db.prepare('DELETE FROM documents WHERE seq BETWEEN ? AND ?').run(from, to)
    db.prepare('DELETE FROM fact_counts WHERE partition = ?').run(partition)
    db.prepare('DELETE FROM blocks WHERE number BETWEEN ? AND ?').run(
      from / BLOCK_SEQS,
      (to + 1) / BLOCK_SEQS - 1,
    )
    db.prepare('DELETE FROM partitions WHERE number = ?').run(partition)
  }).immediate()
}

const attached = new WeakSet<ReadableDb>()

/** Whether the index is attached to this connection. */
export function hasSearch(db: ReadableDb): boolean {
  return attached.has(db)
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
