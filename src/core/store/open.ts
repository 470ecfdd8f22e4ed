/**
 * Opens the database. `synchronous=FULL` is set explicitly: better-sqlite3 drops to NORMAL in WAL
 * mode, and a commit wouldn't survive a power cut.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/text/english.ts'
import { systemClock } from '../base/system-clock.ts'
import { columnsOf, isUnreleased, migrate, NEWEST_VERSION, versionByColumns } from './migrations.ts'
import {
  type WritableDb,
  DATABASE_HEADER_BYTES,
  type ReadableDb,
  READER_CACHE_KIB,
} from './database.ts'
import {
  isFull,
  isBusy,
  databaseUnavailable,
  damagedDatabase,
  WORKS_WITHOUT_DATABASE,
} from './sqlite-errors.ts'
import { defineQueryFunctions } from './query-functions.ts'
import { fillReserve, releaseReserve } from './space-reserve.ts'
import { FOLDER_WAIT_MS, createPrivateFile } from './folder-lock.ts'

export interface StoreOptions {
  /** Bytes; a write beyond fails as on a full disk. */
  readonly maxBytes?: number
}

const PAGE_BYTES = 4_096
/** Files that exist only if there was a database. */
const WRITTEN_LATER = ['vault.key', 'search.db', 'tls']
const RETRY_MS = 25
/** KiB, few because the system caches the file too. */
const WRITER_CACHE_KIB = 4_096
const WAL_KEPT_BYTES = 64 * 1_048_576

/** Opens the database for its only writer, created and migrated if needed. */
export function openForWriting(file: string, options: StoreOptions = {}): WritableDb {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (
    const until = systemClock.monotonic() + FOLDER_WAIT_MS;
    ;
    Atomics.wait(pause, 0, 0, RETRY_MS)
  ) {
    try {
      const db = openOnce(file, options)
      fillReserve(db)
      return db
    } catch (error) {
      // On a full disk, even opening needs the reserved space.
      if (isFull(error) && releaseReserve(file)) continue
      // SQLite doesn't wait if two connections switch a new file to its log.
      const isWorthWaiting = isBusy(error) && systemClock.monotonic() < until
      if (!isWorthWaiting)
        throw error instanceof AppError ? error : databaseUnavailable(file, error)
    }
  }
}

/** Throws for a truncated file, whose log SQLite would delete. */
function refuseTruncated(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? DATABASE_HEADER_BYTES
  if (size >= DATABASE_HEADER_BYTES) return
  const laterFiles = [`${file}-wal`, ...WRITTEN_LATER.map((name) => join(dirname(file), name))]
  if (laterFiles.every((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0))
    return
  throw damagedDatabase(file, new Error(`it has ${counted(size, 'byte')}`), WORKS_WITHOUT_DATABASE)
}

/** Throws for a wrong version, with which a migration would fail midway. */
function refuseDamagedVersion(db: Database): void {
  const claimed = db.pragma('user_version', { simple: true }) as number
  if (claimed === NEWEST_VERSION) return
  const columns = columnsOf(db)
  if (isUnreleased(columns, claimed))
    throw new AppError(
      'STORE_UNAVAILABLE',
      `${db.name} was written by an unreleased build of Countersign (schema ${claimed}). Choose another folder with --data, and import what that build exports.`,
    )
  const version = versionByColumns(columns, claimed)
  if (version !== claimed && version !== 'newer')
    throw damagedDatabase(
      db.name,
      new Error(`its version is ${claimed}, but its tables are of version ${version}`),
      WORKS_WITHOUT_DATABASE,
    )
}

function openOnce(file: string, options: StoreOptions): WritableDb {
  let db: Database | undefined
  try {
    refuseTruncated(file)
    createPrivateFile(file)
    // SQLite would open a read-only file without an error.
    accessSync(file, constants.W_OK)
    db = new Sqlite(file)
    // Free pages can then be returned in pieces.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
    db.pragma(`cache_size = -${WRITER_CACHE_KIB}`)
    refuseDamagedVersion(db)
    // If the log were lost before, so would be everything stored later.
    if (migrate(db)) db.pragma('wal_checkpoint(PASSIVE)')
    defineQueryFunctions(db)
    if (options.maxBytes !== undefined)
      db.pragma(`max_page_count = ${Math.max(1, Math.floor(options.maxBytes / PAGE_BYTES))}`)
    return db as WritableDb
  } catch (error) {
    db?.close()
    throw error
  }
}

/** Opens a migrated database for reading, which never waits for the writer. */
export function openForReading(file: string): ReadableDb {
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true })
    db.pragma(`cache_size = -${READER_CACHE_KIB}`)
    defineQueryFunctions(db)
    return db as ReadableDb
  } catch (error) {
    throw databaseUnavailable(file, error)
  }
}

/** Checks every page. Throws SQLite's error, or one with its code. */
export function checkPages(db: Database): void {
  const problem = db.pragma('quick_check(1)', { simple: true }) as string
  if (problem !== 'ok')
    throw Object.assign(new Error(problem.replaceAll('\n', ' ')), { code: 'SQLITE_CORRUPT' })
}
