/**
 * Statements: prepared once per connection and cached, because preparing costs more than running most of them; rare statements use
 * `prepare`. Scanning ones end if they take too long or nobody waits.
 */
import type { Database, Statement } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { systemClock } from '../base/system-clock.ts'

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

// SQLite's own interrupt can't be called here, so each scanning statement asks a function once every 256 deliveries, which costs
// nothing measurable.

/** The longest that a read blocks its thread, in milliseconds. */
export const READ_LIMIT_MS = 5_000

interface Read {
  readonly limitMs: number
  readonly until: number
  isCancelled(): boolean
}

const reads = new WeakMap<Database, Read>()

/** Begins a read on a connection: from now on, its statements end after `limitMs`, or when it is cancelled. */
export function startRead(
  db: Database,
  { limitMs, isCancelled }: Pick<Read, 'limitMs' | 'isCancelled'>,
): void {
  reads.set(db, { limitMs, isCancelled, until: systemClock.monotonic() + limitMs })
}

/** Ends the read that was begun after `ms`, if that is sooner. */
export function endReadWithin(db: Database, ms: number): void {
  const read = reads.get(db)
  if (read !== undefined)
    reads.set(db, { ...read, until: Math.min(read.until, systemClock.monotonic() + ms) })
}

/** Whether a read ended because it took too long. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'TOO_SLOW'

/** Call once for each connection that evaluates `stillWanted`. */
export function defineStillWanted(db: Database): void {
  db.function('still_wanted', { deterministic: false, directOnly: true }, () => {
    const read = reads.get(db)
    if (read === undefined) return 1
    if (read.isCancelled()) throw new AppError('CANCELLED', 'The search was cancelled.')
    if (systemClock.monotonic() >= read.until)
      throw new AppError(
        'TOO_SLOW',
        `This search took longer than ${read.limitMs / 1_000} s. Narrow it, for example with after:2h.`,
      )
    return 1
  })
}

/** A condition that is always true, and throws if the read must end. Put it first, with the seq of the table that is scanned. */
export const stillWanted = (seq: string): string => `((${seq} & 255) <> 0 OR still_wanted())`
