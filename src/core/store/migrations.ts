/** Versions of the schema: migrates old ones, and recognizes them by their columns. */
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { FIRST_SCHEMA } from './schema.ts'

/** Step that changes the schema, never edited after its release. */
export interface Migration {
  readonly version: number
  up(db: Database): void
}

const FIRST_RELEASED_VERSION = 371

/** Composed requests. Names are unique, null without one. */
const COMPOSED_REQUESTS = `
  CREATE TABLE composed (seq INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE) STRICT;
  CREATE UNIQUE INDEX composed_name ON composed (name) WHERE name IS NOT NULL`

/** New names of a replay's outcomes, and of a check's group and cause in its JSON. */
const RENAMED_VALUES = `
  UPDATE sends SET outcome = 'passed' WHERE outcome = 'first-pass';
  UPDATE sends SET outcome = 'failed' WHERE outcome = 'first-fail';
  UPDATE check_runs SET findings =
    replace(replace(findings, '"genuine"', '"valid"'), '"other-recipe"', '"other-signing-method"')`

export const migrations: readonly Migration[] = [
  { version: FIRST_RELEASED_VERSION, up: (db) => void db.exec(FIRST_SCHEMA) },
  // Responses that a replay is compared with, as JSON.
  { version: 372, up: (db) => void db.exec('ALTER TABLE replay_jobs ADD COLUMN baseline TEXT') },
  { version: 373, up: (db) => void db.exec(COMPOSED_REQUESTS) },
  // Deliveries of shareable captures, too, have a time of receipt that disagrees with their seq.
  {
    version: 374,
    up: (db) =>
      void db.exec(`
        DROP INDEX IF EXISTS deliveries_imported;
        CREATE INDEX deliveries_imported ON deliveries (seq) WHERE origin IN ('imported', 'shared');
      `),
  },
  { version: 375, up: (db) => void db.exec(RENAMED_VALUES) },
]

export const NEWEST_VERSION = migrations.at(-1)!.version

/** Runs pending steps and returns whether there were any. Throws `DATABASE_FROM_FUTURE`. */
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
      // Another process may have migrated it meanwhile.
      const reached = presentVersion()
      const pending = steps.filter((migration) => migration.version > reached)
      for (const migration of pending) migration.up(db)
      if (pending.length > 0) db.pragma(`user_version = ${newest}`)
      return pending.length > 0
    })
    .exclusive()
}

const MAX_PLAUSIBLE_VERSION = 65_535

/** Returns columns as "table.column". */
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

/** Whether a build from before the first release wrote the tables. */
export function isUnreleased(columns: ReadonlySet<string>, claimed: number): boolean {
  return (
    claimed > 0 &&
    claimed < FIRST_RELEASED_VERSION &&
    !columnsOfVersion(FIRST_RELEASED_VERSION).isSubsetOf(columns)
  )
}

/** Returns the version that the columns show: the claimed number may be damaged. */
export function versionByColumns(
  columns: ReadonlySet<string>,
  claimed: number | null,
): number | 'newer' {
  const fits = (version: number) => columns.isSubsetOf(columnsOfVersion(version))
  const isPast = claimed !== null && claimed <= NEWEST_VERSION
  if (isPast && fits(claimed)) return claimed
  const isLater = claimed !== null && !isPast && claimed <= MAX_PLAUSIBLE_VERSION
  if (isLater && fits(NEWEST_VERSION)) return 'newer'
  return migrations.findLast(({ version }) => fits(version))?.version ?? 'newer'
}
