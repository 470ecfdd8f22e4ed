/** Errors of SQLite, and what the user reads. */
import { dirname } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import { isReadOnly, readOnly } from '../base/data-folder.ts'

export function databaseUnavailable(file: string, cause: unknown): AppError {
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

const sqliteCodeOf = (error: unknown) => String((error as { code?: unknown }).code)

/** Whether SQLite found impossible pages, or no database. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCodeOf(error)
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

export function mayBeIndexDamage(error: unknown): boolean {
  return (
    isCorrupt(error) || /no such table|vtable constructor failed/.test((error as Error).message)
  )
}

/** Whether the disk is full or failing. */
export function isFull(error: unknown): boolean {
  const code = sqliteCodeOf(error)
  return code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR') || code === 'ENOSPC'
}

export function diskFull(dataFolder: string, cause: unknown): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `The disk is full or failing (${(cause as Error).message}), so nothing was stored. Stored deliveries can still be read. Free some space on the disk of ${dataFolder}, or delete deliveries with "countersign delete". Capture continues automatically.`,
    { cause },
  )
}

export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error).startsWith('SQLITE_BUSY')
}

export function folderInUse(dataFolder: string, cause?: unknown): AppError {
  return new AppError(
    'ALREADY_RUNNING',
    `Another countersign command is using ${dataFolder}. Retry, or use --data.`,
    { cause },
  )
}
