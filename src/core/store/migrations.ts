/** Brings a database from an empty file, or an earlier version, to the current tables. */
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { FIRST_SCHEMA } from './schema.ts'

/** One step of the schema. A new one gets the highest version; a released step is never edited. */
export interface Migration {
  readonly version: number
  up(db: Database): void
}

/** The first version that was released. Numbers below it are those of builds before. */
const FIRST_VERSION = 371

export const migrations: readonly Migration[] = [
  { version: FIRST_VERSION, up: (db) => void db.exec(FIRST_SCHEMA) },
]

export const NEWEST_VERSION = migrations.at(-1)!.version

/**
 * Runs pending steps and sets the version, all in one transaction or nothing; returns whether there were any. Throws `DATABASE_FROM_FUTURE`, without changes, if the file is newer than
 * this program.
 */
export function migrate(db: Database, steps: readonly Migration[] = migrations): boolean {
  const presentVersion = () => db.pragma('user_version', { simple: true }) as number
  const present = presentVersion()
  const newest = steps.at(-1)?.version ?? 0
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
      const pending = steps.filter((migration) => migration.version > reached)
      for (const migration of pending) migration.up(db)
      if (pending.length > 0) db.pragma(`user_version = ${newest}`)
      return pending.length > 0
    })
    .exclusive()
}

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

const columnsOfVersion = (version: number): ReadonlySet<string> => {
  const db = new Sqlite(':memory:')
  try {
    migrate(
      db,
      migrations.filter((migration) => migration.version <= version),
    )
    return columnsOf(db)
  } finally {
    db.close()
  }
}

/** Returns whether a database is from a build before the first release, whose tables differ. */
export function isUnreleased(columns: ReadonlySet<string>, claimed: number): boolean {
  return (
    claimed > 0 && claimed < FIRST_VERSION && !columnsOfVersion(FIRST_VERSION).isSubsetOf(columns)
  )
}

/**
 * Returns the version of a database that claims one, or null if that can't be read: its columns
 * decide, because a number may be damaged. `newer`: written by a later version of Countersign.
 */
export function versionByColumns(
  columns: ReadonlySet<string>,
  claimed: number | null,
): number | 'newer' {
  const fits = (version: number) => columns.isSubsetOf(columnsOfVersion(version))
  const isPast = claimed !== null && claimed <= NEWEST_VERSION
  if (isPast && fits(claimed)) return claimed
  const isLater = claimed !== null && !isPast && claimed <= HIGHEST_VERSION
  if (isLater && fits(NEWEST_VERSION)) return 'newer'
  return migrations.findLast(({ version }) => fits(version))?.version ?? 'newer'
}
