/**
 * Statements that are made ready once for a connection and kept: to make one costs more than most of them take to run. What is asked
 * seldom, or once, is left to `prepare`.
 */
import type { Database, Statement } from 'better-sqlite3'

/** The one not asked for longest goes when there are more. One takes some ten kilobytes. */
const KEPT = 64

const known = new WeakMap<Database, Map<string, Statement>>()

function kept(db: Database, key: string, make: () => Statement): Statement {
  const statements = known.get(db) ?? new Map<string, Statement>()
  known.set(db, statements)
  const statement = statements.get(key) ?? make()
  statements.delete(key)
  statements.set(key, statement)
  for (const oldest of statements.keys()) {
    if (statements.size <= KEPT) break
    statements.delete(oldest)
  }
  return statement
}

/** A statement whose rows are objects. It must not be asked again while its rows are gone through. */
export function rowStatement<Row>(db: Database, sql: string): Statement<unknown[], Row> {
  return kept(db, sql, () => db.prepare(sql)) as Statement<unknown[], Row>
}

/** A statement that gives the first column of its rows. */
export function valuesOf<Value>(db: Database, sql: string): Statement<unknown[], Value> {
  return kept(db, `1 ${sql}`, () => db.prepare(sql).pluck()) as Statement<unknown[], Value>
}

/** To be called where the tables that statements were made for go away. */
export function forgetStatements(db: Database): void {
  known.delete(db)
}
