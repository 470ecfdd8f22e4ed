/** Handler checks with their results; the latest hundred are kept. */
import { AppError } from '../../shared/contract/errors.ts'
import type {
  CheckComparison,
  CheckConclusion,
  CheckResult,
  CheckSettings,
} from '../../shared/model/check.ts'
import { jsonOf, jsonSql, readRow, readRows } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'

const MAX_CHECK_RUNS = 100

export interface StoredCheck {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly settings: CheckSettings
  /** State; stays `running` if the program ended before the check did. */
  readonly state: 'running' | 'done' | 'cancelled'
  readonly problem: string | null
  readonly requests: number
  readonly otherHost: string | null
  readonly cases: readonly string[]
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly score: number | null
}

interface CheckFindings {
  readonly results: readonly CheckResult[]
  readonly conclusions: readonly CheckConclusion[]
  readonly comparison: CheckComparison | null
}

export type WholeCheck = StoredCheck & CheckFindings

interface Row {
  readonly run: string
  readonly findings: string
}

/** Stores a check, and deletes the oldest. */
export function putCheckRun(
  db: WritableDb,
  { results, conclusions, comparison, ...run }: WholeCheck,
): void {
  db.transaction(() => {
    db.prepare(
      `INSERT INTO check_runs (id, target, run, findings) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET run = excluded.run, findings = excluded.findings`,
    ).run(
      run.id,
      run.settings.target,
      JSON.stringify(run),
      JSON.stringify({ results, conclusions, comparison }),
    )
    db.prepare('DELETE FROM check_runs WHERE seq <= (SELECT max(seq) FROM check_runs) - ?').run(
      MAX_CHECK_RUNS,
    )
  }).immediate()
}

function toCheck({ run, findings }: Row): WholeCheck {
  return {
    ...(jsonOf('check_runs.run', run) as StoredCheck),
    ...(jsonOf('check_runs.findings', findings) as CheckFindings),
  }
}

/** Reads a check. Throws `NOT_FOUND`. */
export function readCheckRun(db: ReadableDb, id: string): WholeCheck {
  const row = rowStatement<Row>(db, 'SELECT run, findings FROM check_runs WHERE id = ?').get(id)
  if (row === undefined)
    throw new AppError(
      'NOT_FOUND',
      `Handler check ${id} not found. Only the latest hundred are kept.`,
    )
  return readRow(`Handler check ${id}`, row, toCheck)
}

export function listCheckRuns(db: ReadableDb, limit: number): StoredCheck[] {
  const rows = columnStatement<string>(
    db,
    'SELECT run FROM check_runs ORDER BY seq DESC LIMIT ?',
  ).all(limit)
  return readRows(rows, (run) => jsonOf('check_runs.run', run) as StoredCheck)
}

/** Returns the target's last finished check before this one, or null. */
export function readPreviousCheckRun(
  db: ReadableDb,
  { id, target }: { readonly id: string; readonly target: string },
): WholeCheck | null {
  const row = rowStatement<Row>(
    db,
    `SELECT run, findings FROM check_runs
       WHERE target = ? AND seq < (SELECT seq FROM check_runs WHERE id = ?) AND ${jsonSql('run', '{}')} ->> '$.state' = 'done' ORDER BY seq DESC LIMIT 1`,
  ).get(target, id)
  return readRows(row === undefined ? [] : [row], toCheck)[0] ?? null
}
