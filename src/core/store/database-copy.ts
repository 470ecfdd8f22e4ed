/** Whole copies of a database, made by SQLite's online backup and checked before they are used. */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { removeLeftovers, temporaryPath } from '../base/leftovers.ts'
import { syncFile } from '../base/whole-files.ts'
import type { ReadableDb } from './database.ts'
import { countUpTo, newestSeq } from './deliveries.ts'
import { migrate, migrations, NEWEST_VERSION } from './migrations.ts'
import { checkPages } from './open.ts'
import { isFull } from './sqlite-errors.ts'

export interface CopyWatch {
  readonly signal: AbortSignal
  /** Receives bytes; `total` may grow. */
  onProgress(done: number, total: number): void
  /** Called before the copy is checked, which can't be cancelled. */
  onChecking(): void
}

export interface CopiedDatabase {
  readonly file: string
  readonly bytes: number
  readonly deliveries: number
}

const PAGES_PER_STEP = 1_000

const visibleCount = (db: ReadableDb): number => countUpTo(db, newestSeq(db))

/**
 * Copies a database as it is now into a private folder beside its destination, checks the copy, and
 * passes it to `place`. Then, or after an error, the folder is removed.
 * @param source Path for messages.
 * @param folder Folder of the destination.
 */
export async function withDatabaseCopy<Result>(
  db: Database,
  { source, folder }: { readonly source: string; readonly folder: string },
  watch: CopyWatch,
  place: (copy: CopiedDatabase) => Result,
): Promise<Result> {
  removeLeftovers(folder)
  const own = temporaryPath(folder)
  try {
    mkdirSync(own, { mode: 0o700 })
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: folder })
  }
  try {
    const file = join(own, 'copy.db')
    closeSync(openSync(file, 'wx', 0o600))
    const expected = await copyInto(db, source, file, watch)
    watch.onChecking()
    await nextTurn()
    const deliveries = checkCopy(file, source)
    if (deliveries !== expected)
      throw new Error(`The copy has ${deliveries} of ${expected} deliveries.`)
    syncFile(file)
    await nextTurn()
    watch.signal.throwIfAborted()
    return place({ file, bytes: statSync(file).size, deliveries })
  } catch (error) {
    throw isFull(error) ? copyFull(folder, error) : error
  } finally {
    rmSync(own, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Copies pages in steps, and returns the number of deliveries. */
async function copyInto(
  db: Database,
  source: string,
  file: string,
  watch: CopyWatch,
): Promise<number> {
  const pageBytes = db.pragma('page_size', { simple: true }) as number
  // A snapshot: without it, SQLite starts again whenever another process has written.
  db.exec('BEGIN')
  try {
    refuseForeign(db, source)
    const deliveries = visibleCount(db as ReadableDb)
    await db.backup(file, {
      progress({ totalPages, remainingPages }) {
        watch.signal.throwIfAborted()
        watch.onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
        return PAGES_PER_STEP
      },
    })
    return deliveries
  } finally {
    if (db.inTransaction) db.exec('COMMIT')
  }
}

/** Makes the copy one plain file, checks every page, and returns the number of deliveries. */
function checkCopy(file: string, source: string): number {
  const db = new Sqlite(file)
  try {
    db.pragma('journal_mode = DELETE')
    refuseForeign(db, source)
    checkPages(db)
    return visibleCount(db as ReadableDb)
  } finally {
    db.close()
  }
}

const schemaOf = (db: Database): string =>
  JSON.stringify(
    db
      .prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
      )
      .raw()
      .all(),
  )

function schemaOfVersion(version: number): string {
  const db = new Sqlite(':memory:')
  try {
    migrate(
      db,
      migrations.filter((migration) => migration.version <= version),
    )
    return schemaOf(db)
  } finally {
    db.close()
  }
}

/** Throws for a database with other tables, or triggers, than Countersign creates. */
function refuseForeign(db: Database, source: string): void {
  const version = db.pragma('user_version', { simple: true }) as number
  if (migrations.some((migration) => migration.version === version)) {
    if (schemaOf(db) === schemaOfVersion(version)) return
  } else if (version > NEWEST_VERSION && schemaOf(db).includes('hook_secrets'))
    throw new AppError(
      'DATABASE_FROM_FUTURE',
      `${source} was written by a newer version of Countersign (schema ${version}, this one knows ${NEWEST_VERSION}). Update Countersign, then try again.`,
    )
  throw notOurs(source)
}

export function notOurs(source: string, cause?: unknown): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `${source} isn't a database of Countersign. Choose a file that "countersign backup" wrote.`,
    { cause },
  )
}

function copyFull(folder: string, cause: unknown): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `The disk of ${folder} is full or failing (${(cause as Error).message}). Nothing was changed. Free some space, then try again.`,
    { cause },
  )
}
