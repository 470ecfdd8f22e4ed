/**
 * Opens the database. Handles are branded by what they may do, so that a reading function can't be given write access.
 * `synchronous=FULL` is set explicitly: in WAL mode better-sqlite3 otherwise drops to NORMAL after the first write, and a commit
 * would no longer survive a power cut.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/text/counted.ts'
import { isReadOnly, readOnly } from '../base/data-folder.ts'
import { systemClock } from '../base/system-clock.ts'
import { defineStillWanted } from './statements.ts'
import { columnsOf, isUnreleased, migrate, NEWEST_VERSION, versionByColumns } from './migrations.ts'
import { compileJsonPredicate, type JsonPredicate } from '../../shared/query/json-value.ts'
import { deliveryHasWords, foldText, type WantedWords } from '../../shared/query/words.ts'
import { SQL_FUNCTIONS } from './query-sql.ts'
import { headersOf } from './rows.ts'

declare const readable: unique symbol
declare const writable: unique symbol
export type ReadableDb = Database & { readonly [readable]: true }
/**
 * A connection that writes. Its transactions begin with the lock (`immediate`): one that reads
 * first fails at once if another process writes before it does.
 */
export type WritableDb = ReadableDb & { readonly [writable]: true }

export interface StoreOptions {
  /** Maximum size of the database file in bytes; a write beyond it fails as on a full disk. */
  readonly maxBytes?: number
}

const PAGE_BYTES = 4_096
const HEADER_BYTES = 100
/** What a data folder has only if it had a database: the key of the vault, the search index, the CA certificate. */
const WRITTEN_LATER = ['vault.key', 'search.db', 'tls']
/** Retry interval, in milliseconds, while another process opens the database. */
const RETRY_MS = 25
/** Page cache of a connection: the system caches the file too, so more would be the same memory twice. */
const WRITER_CACHE_KIB = 4_096
export const READER_CACHE_KIB = 2_048
/** The log is truncated to this after a checkpoint, so that one burst doesn't keep its space forever. */
const WAL_KEPT_BYTES = 64 * 1_048_576

export function databaseFileOf(dataFolder: string): string {
  return join(dataFolder, 'countersign.db')
}

/** Throws the system's error if the folder can't be read. */
export function hasDatabase(dataFolder: string): boolean {
  return statSync(databaseFileOf(dataFolder), { throwIfNoEntry: false }) !== undefined
}

function unavailable(file: string, cause: unknown): AppError {
  if (isBusy(cause)) return folderInUse(dirname(file), cause)
  if (isCorrupt(cause)) return damagedDatabase(file, cause, WORKS_WITHOUT_DATABASE)
  if (isReadOnly(cause)) return readOnly(file, cause)
  if (isFull(cause)) return diskFull(dirname(file), cause)
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AppError(
    'STORE_UNAVAILABLE',
    `Can't open the database ${file}: ${reason}. It was left unchanged; move it away, or choose another folder with --data.`,
    { cause },
  )
}

/**
 * Opens the database for its only writer, creating and migrating it if needed; waits for another process that is doing the same.
 */
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
      // Even opening takes some space, and a deletion begins with it.
      if (isFull(error) && releaseReserve(file)) continue
      // SQLite itself doesn't wait if two connections switch a new file to its log at the same time.
      const isWorthWaiting = isBusy(error) && systemClock.monotonic() < until
      if (!isWorthWaiting) throw error instanceof AppError ? error : unavailable(file, error)
    }
  }
}

/**
 * SQLite takes a file of 0 or 1 bytes for a new database, and deletes its log. That is right only if the first start was interrupted
 * just after creating the file: then nothing else is in the folder yet. The others are written once the database has its tables.
 */
function refuseTruncated(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? HEADER_BYTES
  if (size >= HEADER_BYTES) return
  const written = [`${file}-wal`, ...WRITTEN_LATER.map((name) => join(dirname(file), name))]
  if (written.every((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)) return
  throw damagedDatabase(file, new Error(`it has ${counted(size, 'byte')}`), WORKS_WITHOUT_DATABASE)
}

/** Migrating from a wrong version would fail midway, and refusing to open as if the file were newer would be wrong advice. */
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
    // Created here so that only the user can access it from the start; its log files get the same mode.
    makePrivate(file)
    // SQLite would open it for reading, and fail at the first change.
    accessSync(file, constants.W_OK)
    db = new Sqlite(file)
    // Before anything is written to a new file: free pages can then be returned to the disk in pieces.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
    db.pragma(`cache_size = -${WRITER_CACHE_KIB}`)
    refuseDamagedVersion(db)
    // A new schema is written to the file immediately: if the log were lost, everything stored later would be lost with it.
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

/** Opens a migrated database for reading; a connection's reads never wait for the writer. */
export function openForReading(file: string): ReadableDb {
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true })
    db.pragma(`cache_size = -${READER_CACHE_KIB}`)
    defineQueryFunctions(db)
    return db as ReadableDb
  } catch (error) {
    throw unavailable(file, error)
  }
}

// Commits that needn't wait for the disk: what a power cut loses can be redone. Deliveries always wait.

/**
 * Runs `work` with transactions that don't wait for the disk. With `exec`, because the library's pragma function prepares a
 * statement each time, which takes longer than a small transaction.
 */
export function withRelaxedCommit<Result>(db: WritableDb, work: () => Result): Result {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** Makes a change in one transaction, and overwrites the bytes of what it deletes or replaces, because these may be secrets. */
export function overwriting<Result>(db: WritableDb, change: () => Result): Result {
  db.pragma('secure_delete = ON')
  try {
    return db.transaction(change).immediate()
  } finally {
    db.pragma('secure_delete = OFF')
  }
}

/** Writes the log back and truncates it. Returns false if a reader still uses the log. */
export function emptyLog(db: WritableDb): boolean {
  const timeout = db.pragma('busy_timeout', { simple: true }) as number
  db.pragma('busy_timeout = 0')
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return result?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeout}`)
  }
}

// Functions that SQL lacks: the words of a delivery, and questions about a JSON body.

/** The same questions apply to many deliveries in a row: each is prepared once. */
const KEPT = 64
/**
 * Different merchants beyond ASCII: folding each again would take longer than the rest of a search.
 */
const MOST_NAMES = 10_000

function remembering<Made>(make: (text: string) => Made, kept = KEPT): (text: unknown) => Made {
  const made = new Map<string, Made>()
  return (given) => {
    const text = String(given)
    let found = made.get(text)
    if (found === undefined) {
      if (made.size >= kept) made.clear()
      found = make(text)
      made.set(text, found)
    }
    return found
  }
}

const bytesOf = (body: unknown) => (body instanceof Uint8Array ? body : new Uint8Array())

/** Call once for each connection that evaluates conditions of `query-sql.ts`. */
export function defineQueryFunctions(db: Database): void {
  defineStillWanted(db)
  const wantedOf = remembering((text) => JSON.parse(text) as WantedWords)
  const predicateOf = remembering((text) => compileJsonPredicate(JSON.parse(text) as JsonPredicate))
  const options = { deterministic: true, directOnly: true } as const
  db.function(SQL_FUNCTIONS.words, options, (path, headers, body, wanted) => {
    const parts = {
      path: path as string | null,
      headers: headersOf(headers as string) ?? [],
      body: bytesOf(body),
    }
    return deliveryHasWords(parts, wantedOf(wanted)) ? 1 : 0
  })
  db.function(SQL_FUNCTIONS.bodyWords, options, (body, wanted) =>
    deliveryHasWords({ path: null, headers: [], body: bytesOf(body) }, wantedOf(wanted)) ? 1 : 0,
  )
  const foldOf = remembering(foldText, MOST_NAMES)
  db.function(SQL_FUNCTIONS.fold, options, (text) => foldOf(text))
  db.function(SQL_FUNCTIONS.json, options, (body, predicate) =>
    predicateOf(predicate)(bytesOf(body)) ? 1 : 0,
  )
}

// Damaged files: which errors indicate them, and what the user reads.

/** A cancelled read rejects with the signal's reason, whose code is a number. */
const codeOf = (error: unknown) => String((error as { code?: unknown }).code)

/** Whether SQLite found impossible pages (SQLITE_CORRUPT) or no database at all (SQLITE_NOTADB), including extended codes. */
export function isCorrupt(error: unknown): boolean {
  const code = codeOf(error)
  return code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')
}

export function damagedDatabase(file: string, cause: unknown, stillWorks: string): AppError {
  return new AppError(
    'DATABASE_DAMAGED',
    `Database ${file} is damaged (${(cause as Error).message}). ${stillWorks} To recover readable data, run "countersign doctor --repair" with the same --data.`,
    { details: { file }, cause },
  )
}

export const WORKS_WITHOUT_DATABASE = 'Nothing was changed, and verify, sign and check still work.'
export const WORKS_WITH_DAMAGE = 'Deliveries on undamaged pages can still be read.'

/** Whether an error can come from a damaged index or one without a table. The index is then rebuilt. */
export function isDamage(error: unknown): boolean {
  return (
    isCorrupt(error) || /no such table|vtable constructor failed/.test((error as Error).message)
  )
}

/** Reads every page of a database's tables and indexes. Throws SQLite's error, or one with its code, for damage. */
export function checkPages(db: Database): void {
  const found = db.pragma('quick_check(1)', { simple: true }) as string
  if (found !== 'ok')
    throw Object.assign(new Error(found.replaceAll('\n', ' ')), { code: 'SQLITE_CORRUPT' })
}

// A full disk. Deleting also needs space, for the log: a file keeps some for it.

/** Whether an error means that the disk is full or failing: of SQLite, including extended codes, or of the system. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR') || code === 'ENOSPC'
}

export function diskFull(dataFolder: string, cause: unknown): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `The disk is full or failing (${(cause as Error).message}), so nothing was stored. Stored deliveries can still be read. Free some space on the disk of ${dataFolder}, or delete deliveries with "countersign delete". Capture continues automatically.`,
    { cause },
  )
}

/** Enough for the log that SQLite keeps before it writes it back. */
const RESERVE_BYTES = 4 * 1_048_576
/** With more than this, in bytes, the disk isn't full soon. */
const LITTLE_SPACE = 256 * 1_048_576
const RESERVE_STEP = Buffer.alloc(65_536, 1)

const reserveFileOf = (file: string) => join(dirname(file), 'space.reserve')

/** On a disk with little space left, keeps some for deletions. Call it from time to time. */
export function fillReserve({ name, memory }: Database): void {
  if (memory) return
  try {
    const { bavail, bsize } = statfsSync(name)
    if (bavail * bsize > LITTLE_SPACE) return
    const reserve = openSync(reserveFileOf(name), 'a', 0o600)
    try {
      for (let size = fstatSync(reserve).size; size < RESERVE_BYTES; size += RESERVE_STEP.length)
        writeSync(reserve, RESERVE_STEP)
    } finally {
      closeSync(reserve)
    }
  } catch {
    // There is no more space: the file keeps the rest.
  }
}

/** Returns whether there was any. */
function releaseReserve(file: string): boolean {
  const reserve = reserveFileOf(file)
  if ((statSync(reserve, { throwIfNoEntry: false })?.size ?? 0) === 0) return false
  truncateSync(reserve)
  return true
}

/** Runs work that frees space: on a full disk with the space that is kept for it. */
export function withReserve<Result>(db: WritableDb, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!isFull(error) || db.memory || !releaseReserve(db.name)) throw error
  }
  try {
    emptyLog(db)
    return work()
  } finally {
    emptyLog(db)
    fillReserve(db)
  }
}

// The lock of a data folder: a transaction on its own file, which the system ends with the process.
// The file stays, because two processes that recreate it would each hold their own lock; if it was
// deleted, it is recreated only while no process has the database open. A running Countersign
// reserves the file, every process with an open database also reads it, and a repair or vacuum
// needs it exclusively.

/** How long a command waits for another one on the same data folder, in milliseconds. */
export const FOLDER_WAIT_MS = 5_000

/** Whether SQLite timed out waiting for another connection, including extended codes. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/** The error if another command still uses the data folder after `FOLDER_WAIT_MS`. */
export function folderInUse(dataFolder: string, cause?: unknown): AppError {
  return new AppError(
    'ALREADY_RUNNING',
    `Another countersign command is using ${dataFolder}. Retry, or use --data.`,
    { cause },
  )
}

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.lock')
}

function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // An existing file isn't opened here: closing it again would end this process's own lock.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Whether any process has the database open. In WAL mode every connection locks the file itself, so this is known even if the lock
 * file was deleted. Opening a file without a header would delete its log.
 */
export function isDatabaseOpen(dataFolder: string, timeout: number): boolean {
  const file = databaseFileOf(dataFolder)
  let db: Database | undefined
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < HEADER_BYTES) return false
    db = new Sqlite(file, { timeout })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // The next one to open it reports other errors.
    return isBusy(error)
  } finally {
    db?.close()
  }
}

/** Begins a transaction on the lock file; null if another process prevents it. The returned function ends it. */
function beginOnLock(dataFolder: string, timeout: number, begin: string): (() => void) | null {
  const file = fileOf(dataFolder)
  let db: Database | undefined
  try {
    // Deleted while another process had it: its lock is gone from here, and a new file would be a second lock.
    if (!existsSync(file) && isDatabaseOpen(dataFolder, timeout)) return null
    makePrivate(file)
    db = new Sqlite(file, { timeout })
    db.exec(begin)
  } catch (error) {
    db?.close()
    // The next one to open the database reports other errors.
    return isBusy(error) ? null : () => undefined
  }
  const held = db
  return () => held.close()
}

/**
 * Takes the lock until this process ends or the returned function is called; null if another process has it, even if only to check.
 */
export function lockFolder(dataFolder: string): (() => void) | null {
  return beginOnLock(dataFolder, 0, 'BEGIN IMMEDIATE')
}

/**
 * Marks the database as open in this process, alongside others, until the returned function is called. Throws if it is being
 * repaired or vacuumed.
 */
export function shareFolder(dataFolder: string): () => void {
  const release = beginOnLock(
    dataFolder,
    FOLDER_WAIT_MS,
    'BEGIN; SELECT count(*) FROM sqlite_schema',
  )
  if (release === null) throw folderInUse(dataFolder)
  return release
}

/**
 * Takes the folder exclusively. Waits for commands with an open database, then throws; `isServed` if Countersign is running on the
 * folder.
 */
export function lockAlone(
  dataFolder: string,
): { readonly isServed: true } | { readonly isServed: false; readonly release: () => void } {
  const unlock = lockFolder(dataFolder)
  if (unlock === null) return { isServed: true }
  unlock()
  const release = beginOnLock(dataFolder, FOLDER_WAIT_MS, 'BEGIN EXCLUSIVE')
  if (release === null) throw folderInUse(dataFolder)
  return { isServed: false, release }
}

/** Whether any process, including this one, has the lock now; a process that only checks has it for a moment. */
export function isFolderLocked(dataFolder: string): boolean {
  const file = fileOf(dataFolder)
  // A check creates no file.
  if (!existsSync(file)) return isDatabaseOpen(dataFolder, 0)
  // A link, in a folder from elsewhere, could lead to the lock of another folder.
  if (!lstatSync(file).isFile()) return false
  const release = lockFolder(dataFolder)
  release?.()
  return release === null
}
