/** Backs up a data folder's database into a file, while another process may write to it. */
import { realpathSync, renameSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import { completeReplacement } from './complete-replacement.ts'
import { databaseFileOf } from './database.ts'
import { type CopiedDatabase, type CopyWatch, withDatabaseCopy } from './database-copy.ts'
import { shareFolder } from './folder-lock.ts'
import { openForReading } from './open.ts'
import { damagedDatabase, isCorrupt } from './sqlite-errors.ts'

/**
 * Backs up the database; an existing target is replaced. Rejects with an `AppError`, leaving the
 * target unchanged.
 */
export async function backupDatabase(
  dataFolder: string,
  target: string,
  watch: CopyWatch,
): Promise<CopiedDatabase> {
  const folder = dirname(resolve(target))
  if (realpathSync(folder) === realpathSync(dataFolder))
    throw new AppError(
      'UNSUPPORTED',
      `${folder} is the data folder itself. Choose a file in another folder.`,
    )
  const file = databaseFileOf(dataFolder)
  const release = shareFolder(dataFolder)
  try {
    completeReplacement(file)
    const db = openForReading(file)
    try {
      return await withDatabaseCopy(db, { source: file, folder }, watch, (copy) => {
        renameSync(copy.file, target)
        return { ...copy, file: target }
      })
    } finally {
      db.close()
    }
  } catch (error) {
    throw isCorrupt(error) ? damagedDatabase(file, error, 'Nothing was backed up.') : error
  } finally {
    release()
  }
}
