/** Replaces a closed database by a backup of it. */
import { renameSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { completeReplacement, finishedFileOf } from './complete-replacement.ts'
import { databaseFileOf } from './database.ts'
import { type CopiedDatabase, type CopyWatch, notOurs, withDatabaseCopy } from './database-copy.ts'
import { removeSearch, searchFileOf } from './search/open-search.ts'
import { isCorrupt } from './sqlite-errors.ts'

export interface RestoredDatabase extends CopiedDatabase {
  /** New path of the database before, or null if there was none. */
  readonly setAside: string | null
}

/**
 * Restores a database, which no process may have open. Rejects with an `AppError` without a change;
 * after a crash, the next start has the old database or completes the restore.
 */
export async function restoreDatabase(
  dataFolder: string,
  backup: string,
  watch: CopyWatch,
): Promise<RestoredDatabase> {
  const file = databaseFileOf(dataFolder)
  completeReplacement(file)
  let db: Database | undefined
  try {
    db = new Sqlite(backup, { readonly: true, fileMustExist: true })
    return await withDatabaseCopy(db, { source: backup, folder: dataFolder }, watch, (copy) => {
      // The index is of the old database; it is filled again.
      removeSearch(searchFileOf(dataFolder))
      renameSync(copy.file, finishedFileOf(file, 'restored'))
      return { ...copy, file, setAside: completeReplacement(file) }
    })
  } catch (error) {
    throw explained(error, backup)
  } finally {
    db?.close()
  }
}

function explained(error: unknown, backup: string): unknown {
  const { code, message } = error as Error & { readonly code?: unknown }
  if (code === 'SQLITE_NOTADB') return notOurs(backup, error)
  if (isCorrupt(error))
    return new AppError(
      'DATABASE_DAMAGED',
      `${backup} is damaged (${message}). Nothing was changed. Choose another backup.`,
      { cause: error },
    )
  if (String(code).startsWith('SQLITE_'))
    return new AppError(
      'STORE_UNAVAILABLE',
      `Couldn't read ${backup} (${message}). Nothing was changed. Check its permissions, then try again.`,
      { cause: error },
    )
  return error
}
