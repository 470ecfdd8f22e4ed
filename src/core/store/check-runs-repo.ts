/** Handler checks that were made: the newest hundred, each with its results. */
import { AppError } from '../../shared/contract/errors.ts'
import type { CheckComparison, CheckConclusion, CheckResult, CheckSettings } from '../../shared/model/check.ts'
import type { ReadableDb, WritableDb } from './open.ts'

const KEPT = 100

/** A run without its results. */
export interface StoredCheck {
  readonly id: string
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  readonly settings: CheckSettings
  /** `running` also where the program ended before the check did. */
  readonly state: 'running' | 'done' | 'cancelled'
  readonly problem: string | null
  readonly requests: number
  readonly otherHost: string | null
  /** Names of its cases, in their order. */
  readonly cases: readonly string[]
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly score: number | null
}

export interface CheckFindings {
  readonly results: readonly CheckResult[]
  readonly conclusions: readonly CheckConclusion[]
  readonly comparison: CheckComparison | null
}

export type WholeCheck = StoredCheck & CheckFindings

interface Row {
  readonly run: string
  readonly findings: string
}

/** Writes a check, or what has become of it; the oldest beyond a hundred go. */
export function putCheckRun(db: WritableDb, { results, conclusions, comparison, ...run }: WholeCheck): void {
  db.transaction(() => {
    db.prepare(
      `INSERT INTO check_runs (id, target, run, findings) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET run = excluded.run, findings = excluded.findings`,
    ).run(run.id, run.settings.target, JSON.stringify(run), JSON.stringify({ results, conclusions, comparison }))
    db.prepare('DELETE FROM check_runs WHERE seq <= (SELECT max(seq) FROM check_runs) - ?').run(KEPT)
  })()
}

function whole({ run, findings }: Row): WholeCheck {
  return { ...(JSON.parse(run) as StoredCheck), ...(JSON.parse(findings) as CheckFindings) }
}

/** Throws `NOT_FOUND` where there is none of that id. */
export function readCheckRun(db: ReadableDb, id: string): WholeCheck {
  const row = db.prepare<[string], Row>('SELECT run, findings FROM check_runs WHERE id = ?').get(id)
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no handler check ${id}. The newest hundred are kept.`)
  return whole(row)
}

/** Newest first. */
export function listCheckRuns(db: ReadableDb, limit: number): StoredCheck[] {
  return db
    .prepare<[number], string>('SELECT run FROM check_runs ORDER BY seq DESC LIMIT ?')
    .pluck()
    .all(limit)
    .map((run) => JSON.parse(run) as StoredCheck)
}

/** The last check of a target before that one that came to its end; null where there is none. */
export function checkRunBefore(
  db: ReadableDb,
  { id, target }: { readonly id: string; readonly target: string },
): WholeCheck | null {
  const row = db
    .prepare<[string, string], Row>(
      `SELECT run, findings FROM check_runs
       WHERE target = ? AND seq < (SELECT seq FROM check_runs WHERE id = ?) AND run ->> '$.state' = 'done' ORDER BY seq DESC LIMIT 1`,
    )
    .get(target, id)
  return row === undefined ? null : whole(row)
}
