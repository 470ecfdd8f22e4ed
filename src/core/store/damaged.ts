/** Damaged database files are an expected failure: which errors indicate them, and what the user reads. */
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'

/** Whether SQLite found impossible pages (SQLITE_CORRUPT) or no database at all (SQLITE_NOTADB), including extended codes. */
export function isCorrupt(error: unknown): boolean {
  const { code = '' } = error as Error & { code?: string }
  return code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')
}

/** The sentence for a damaged database: the file, what still works, and how to recover. */
export function damagedDatabase(file: string, cause: unknown, stillWorks: string): AppError {
  return new AppError(
    'DATABASE_DAMAGED',
    `Database ${file} is damaged (${(cause as Error).message}). ${stillWorks} To recover readable data, run "countersign doctor --repair" with the same --data.`,
    { details: { file }, cause },
  )
}

/** What still works when the file can't be opened at all. */
export const WORKS_WITHOUT_DATABASE = 'Nothing was changed, and verify, sign and check still work.'
/** What still works when some pages can't be read. */
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
