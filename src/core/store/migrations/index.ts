/** Every step of the schema, in order. */
import Sqlite, { type Database } from 'better-sqlite3'
import { migrate, type Migration } from '../migrate.ts'
import { deliveryMigrations } from './deliveries.ts'
import { hookMigrations } from './hooks.ts'
import { runMigrations } from './runs.ts'
import { sendMigrations } from './sends.ts'

export const migrations: readonly Migration[] = [
  ...deliveryMigrations,
  ...hookMigrations,
  ...sendMigrations,
  ...runMigrations,
].toSorted((a, b) => a.version - b.version)

/** The newest version of the schema. */
export const NEWEST_VERSION = migrations.at(-1)!.version
/** No schema will have a higher version: one that does has a damaged number. */
const HIGHEST_VERSION = 65_535

/** The columns of a database, as "table.column". */
export function columnsOf(db: Database): ReadonlySet<string> {
  return new Set(
    db
      .prepare<[], string>(
        `SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .pluck()
      .all(),
  )
}

/**
 * The version of a database that claims one, or null if that can't be read: its columns decide, because a number may be damaged.
 * `newer`: written by a later version of Countersign.
 */
export function versionByColumns(
  columns: ReadonlySet<string>,
  claimed: number | null,
): number | 'newer' {
  const fits = (version: number) => {
    const db = new Sqlite(':memory:')
    try {
      migrate(
        db,
        migrations.filter((migration) => migration.version <= version),
      )
      return columns.isSubsetOf(columnsOf(db))
    } finally {
      db.close()
    }
  }
  const isPast = claimed !== null && claimed <= NEWEST_VERSION
  if (isPast && fits(claimed)) return claimed
  const isLater = claimed !== null && !isPast && claimed <= HIGHEST_VERSION
  if (isLater && fits(NEWEST_VERSION)) return 'newer'
  return migrations.findLast(({ version }) => fits(version))?.version ?? 'newer'
}
