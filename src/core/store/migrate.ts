/** Brings a database to the current schema: all pending steps and the version number in one transaction, or nothing. */
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'

/** One step of the schema. A new one gets the highest version; a released step is never edited. */
export interface Migration {
  readonly version: number
  readonly name: string
  up(db: Database): void
}

/** Rejects a list whose versions don't increase: a step in the wrong place would be skipped forever. */
function checkOrder(migrations: readonly Migration[]): void {
  migrations.forEach((migration, index) => {
    const before = migrations[index - 1]
    if (before !== undefined && migration.version <= before.version)
      throw new Error(`Migration ${migration.name} is out of order.`)
  })
}

/**
 * Runs pending steps and returns whether there were any. Throws `DATABASE_FROM_FUTURE`, without changes, if the file is newer than
 * this program.
 */
export function migrate(db: Database, migrations: readonly Migration[]): boolean {
  checkOrder(migrations)
  const presentVersion = () => db.pragma('user_version', { simple: true }) as number
  const present = presentVersion()
  const newest = migrations.at(-1)?.version ?? 0
  if (present > newest) {
    throw new AppError(
      'DATABASE_FROM_FUTURE',
      `${db.name} was written by a newer version of Countersign (schema ${present}, this one knows ${newest}). Update Countersign, or choose another folder with --data.`,
    )
  }
  if (present === newest) return false
  return db
    .transaction(() => {
      // Another process may have migrated it in the meantime.
      const reached = presentVersion()
      const pending = migrations.filter((migration) => migration.version > reached)
      for (const migration of pending) migration.up(db)
      if (pending.length > 0) db.pragma(`user_version = ${newest}`)
      return pending.length > 0
    })
    .exclusive()
}
