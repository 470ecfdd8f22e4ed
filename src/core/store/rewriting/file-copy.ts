/**
 * A copy of the database without free pages, made row by row in a file beside it, so that it can be stopped at any moment and
 * reports its progress; `VACUUM` can do neither. It contains the data at its start.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { systemClock } from '../../base/system-clock.ts'

/** The part of the copy that is done, and whether that is all. */
export interface CopyStep {
  /** From 0 to 1. */
  readonly done: number
  readonly finished: boolean
}

export interface FileCopy {
  readonly db: Database
  /** The database's `data_version` when the copy began: it changes as soon as anybody else writes. */
  readonly version: number
  /** Copies for about this many milliseconds; an index or a table without row ids is copied in one step. */
  step(budgetMs: number): CopyStep
  /** Closes the copy and removes its file. */
  drop(): void
}

interface TableColumn {
  readonly name: string
  readonly type: string
  readonly pk: number
}

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Rows copied between two checks of the clock. */
const ROWS_A_LOOK = 64

/** Path of a database's copy while it is created. */
export function copyFileOf(file: string): string {
  return `${file}.rewriting`
}

/** Removes files left by a killed process; if another process is still copying, its copy continues without a name. */
export function removeCopy(file: string): void {
  try {
    rmSync(copyFileOf(file), { force: true })
  } catch {
    // Windows doesn't remove an open file: the process that creates it removes it.
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Begins a copy of a database that others may use at the same time. */
export function beginCopy(file: string): FileCopy {
  removeCopy(file)
  // Created here so that only the user can access it from the start.
  closeSync(openSync(copyFileOf(file), 'a', 0o600))
  const db = new Sqlite(copyFileOf(file))
  try {
    return copyInto(db, file)
  } catch (error) {
    db.close()
    removeCopy(file)
    throw error
  }
}

function copyInto(db: Database, file: string): FileCopy {
  db.prepare('ATTACH ? AS old').run(file)
  const ofOld = (pragma: string) => db.pragma(`old.${pragma}`, { simple: true }) as number
  db.pragma(`page_size = ${ofOld('page_size')}`)
  db.pragma('auto_vacuum = INCREMENTAL')
  // Nothing in it is needed after a crash. The library forbids `OFF`, and new pages aren't journaled.
  db.pragma('main.journal_mode = MEMORY')
  db.pragma('main.synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  db.exec('BEGIN')
  const pages = Math.max(1, ofOld('page_count') - ofOld('freelist_count'))
  const version = ofOld('data_version')
  const schema = db
    .prepare<[], SchemaRow>(
      "SELECT type, name, sql FROM old.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all()
  const tables = schema.filter(({ type }) => type === 'table')
  for (const { sql } of tables) db.exec(sql)
  for (const name of ['user_version', 'application_id']) db.pragma(`${name} = ${ofOld(name)}`)

  const work = (function* () {
    for (const { name } of tables) yield* copyRows(db, name)
    // After the rows: an index of sorted rows is built faster, and smaller.
    for (const { type, sql } of schema)
      if (type !== 'table') {
        db.exec(sql)
        yield
      }
  })()

  return {
    db,
    version,
    step(budgetMs) {
      const until = systemClock.monotonic() + budgetMs
      do {
        if (work.next().done === true) {
          db.exec('COMMIT')
          return { done: 1, finished: true }
        }
      } while (systemClock.monotonic() < until)
      return {
        done: Math.min(1, (db.pragma('main.page_count', { simple: true }) as number) / pages),
        finished: false,
      }
    },
    drop() {
      db.close()
      removeCopy(file)
    },
  }
}

/** Copies a table's rows, a few at a time if they have row ids. */
function* copyRows(db: Database, table: string): Generator<void, void, void> {
  const name = quoted(table)
  const isKeyed = db
    .prepare<[string, string], number>(
      'SELECT wr FROM pragma_table_list WHERE schema = ? AND name = ?',
    )
    .pluck()
  const columns = db.pragma(`old.table_info(${name})`) as TableColumn[]
  if (isKeyed.get('old', table) === 1) {
    db.exec(`INSERT INTO main.${name} SELECT * FROM old.${name}`)
    yield
    return
  }
  const keys = columns.filter(({ pk }) => pk > 0)
  const hasOwnName = keys.length === 1 && keys[0]?.type.toUpperCase() === 'INTEGER'
  const list = [
    ...(hasOwnName ? [] : ['rowid']),
    ...columns.map((column) => quoted(column.name)),
  ].join(', ')
  const copy = db.prepare<[number, number]>(
    `INSERT INTO main.${name} (${list}) SELECT ${list} FROM old.${name} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  )
  const last = db.prepare<[], number | null>(`SELECT max(rowid) FROM main.${name}`).pluck()
  let after = Number.MIN_SAFE_INTEGER
  while (copy.run(after, ROWS_A_LOOK).changes > 0) {
    after = last.get() ?? after
    yield
  }
}
