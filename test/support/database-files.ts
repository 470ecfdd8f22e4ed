/** Database files with deliveries, for tests of their copies. */
import { readdirSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { openTestDatabase } from './test-database.ts'
import { captureOf } from './test-store.ts'

/** Returns ids in the order of receipt, after a check of every page. */
export function idsIn(file: string): string[] {
  const db = new Sqlite(file, { readonly: true })
  try {
    expect(db.pragma('quick_check', { simple: true })).toBe('ok')
    expect(db.prepare('SELECT max(seq) - count(*) FROM deliveries').pluck().get()).toBe(0)
    return db.prepare<[], string>('SELECT id FROM deliveries ORDER BY seq').pluck().all()
  } finally {
    db.close()
  }
}

/** Creates a folder whose deliveries have a body of three pages with this field. */
export function folderWith(
  count: number,
  field: string,
  change: (db: Sqlite.Database) => void = () => undefined,
) {
  const folder = temporaryFolder()
  const { db, put, describe } = openTestDatabase(folder)
  put(Array.from({ length: count }, () => captureOf(`{"${field}":"${'x'.repeat(9_000)}"}`)))
  describe()
  change(db)
  db.close()
  return { folder, file: databaseFileOf(folder) }
}

/** Returns names of unfinished files. */
export const unfinishedIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /temp|restored|repaired/.test(name))
