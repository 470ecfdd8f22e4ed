/** Prepared statements, cached because preparing costs more than running. */
import type { Database, Statement } from 'better-sqlite3'

/** Statements of about ten kilobytes each. */
const MOST_CACHED = 64

const cacheOf = new WeakMap<Database, Map<string, Statement>>()

function kept(db: Database, key: string, make: () => Statement): Statement {
  const statements = cacheOf.get(db) ?? new Map<string, Statement>()
  cacheOf.set(db, statements)
  const statement = statements.get(key) ?? make()
  statements.delete(key)
  statements.set(key, statement)
  for (const oldest of statements.keys()) {
    if (statements.size <= MOST_CACHED) break
    statements.delete(oldest)
  }
  return statement
}

/** Returns a statement for objects; its rows are iterated once at a time. */
export function rowStatement<Row>(db: Database, sql: string): Statement<unknown[], Row> {
  return kept(db, sql, () => db.prepare(sql)) as Statement<unknown[], Row>
}

/** Returns a statement for the first column. */
export function valuesOf<Value>(db: Database, sql: string): Statement<unknown[], Value> {
  return kept(db, `1 ${sql}`, () => db.prepare(sql).pluck()) as Statement<unknown[], Value>
}

/** Drops statements of dropped tables. */
export function forgetStatements(db: Database): void {
  cacheOf.delete(db)
}
