/** Prepared statements, cached because preparing costs more than running. */
import type { Database, Statement } from 'better-sqlite3'

/** Cached statements per connection, of about ten kilobytes each. */
const MAX_CACHED = 64

const cacheOf = new WeakMap<Database, Map<string, Statement>>()

function cachedStatement(db: Database, key: string, make: () => Statement): Statement {
  const statements = cacheOf.get(db) ?? new Map<string, Statement>()
  cacheOf.set(db, statements)
  const statement = statements.get(key) ?? make()
  statements.delete(key)
  statements.set(key, statement)
  for (const oldest of statements.keys()) {
    if (statements.size <= MAX_CACHED) break
    statements.delete(oldest)
  }
  return statement
}

/** Returns a statement that reads objects; only one iteration at a time may use it. */
export function rowStatement<Row>(db: Database, sql: string): Statement<unknown[], Row> {
  return cachedStatement(db, sql, () => db.prepare(sql)) as Statement<unknown[], Row>
}

/** Returns a statement that reads the first column. */
export function columnStatement<Value>(db: Database, sql: string): Statement<unknown[], Value> {
  return cachedStatement(db, `column ${sql}`, () => db.prepare(sql).pluck()) as Statement<
    unknown[],
    Value
  >
}

/** Drops the cached statements, because their tables are gone. */
export function forgetStatements(db: Database): void {
  cacheOf.delete(db)
}
