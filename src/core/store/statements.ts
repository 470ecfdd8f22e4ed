/**
 * Statements prepared once per connection and cached, because preparing costs more than running most of them. Rare statements use
 * `prepare`.
 */
import type { Database, Statement } from 'better-sqlite3'

/** Above this, the least recently used one is dropped. Each takes about ten kilobytes. */
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

/** A statement that returns objects. Don't run it again while iterating over its rows. */
export function rowStatement<Row>(db: Database, sql: string): Statement<unknown[], Row> {
  return kept(db, sql, () => db.prepare(sql)) as Statement<unknown[], Row>
}

/** A statement that returns the first column. */
export function valuesOf<Value>(db: Database, sql: string): Statement<unknown[], Value> {
  return kept(db, `1 ${sql}`, () => db.prepare(sql).pluck()) as Statement<unknown[], Value>
}

/** Call this when tables that statements use are dropped. */
export function forgetStatements(db: Database): void {
  known.delete(db)
}
