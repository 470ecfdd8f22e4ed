/** Rewrites a database that no other process has open, without its free space and remains of deleted data. */
import { statSync } from 'node:fs'
import { AppError } from '../../shared/contract/errors.ts'
import { databaseFileOf, openForWriting } from './open.ts'
import { vacuum } from './storage-repo.ts'

/** Returns the bytes freed and the file's new size. If it fails, it throws an `AppError` and nothing has changed. */
export function vacuumFile(dataFolder: string): {
  readonly freed: number
  readonly database: number
} {
  const file = databaseFileOf(dataFolder)
  const db = openForWriting(file)
  const before = statSync(file).size
  try {
    // A file of an early version can't return pages in pieces until it is rewritten.
    db.pragma('auto_vacuum = INCREMENTAL')
    vacuum(db)
  } catch (error) {
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The database couldn't be rewritten (${(error as Error).message}). It is unchanged. It needs free disk space of about twice its size.`,
      { cause: error },
    )
  } finally {
    db.close()
  }
  const database = statSync(file).size
  return { freed: Math.max(0, before - database), database }
}
