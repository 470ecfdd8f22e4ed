/** Runs of handler checks (the latest hundred, each with its results) and of flows. Only this file reads their rows. */
import { AppError } from '../../shared/contract/errors.ts'
import type {
  CheckComparison,
  CheckConclusion,
  CheckResult,
  CheckSettings,
} from '../../shared/model/check.ts'
import type { DeliveryFlow } from '../../shared/model/delivery.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import type { FlowRun } from '../../shared/model/flow.ts'
import { recounting } from './timeline.ts'
import { jsonOf, jsonSql, readRow, readRows } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

const KEPT = 100

/** A run without its results. */
export interface StoredCheck {
  readonly id: string
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  readonly settings: CheckSettings
  /** `running` also if the program ended before the check did. */
  readonly state: 'running' | 'done' | 'cancelled'
  readonly problem: string | null
  readonly requests: number
  readonly otherHost: string | null
  /** Names of its cases, in order. */
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

/** Stores a check or its progress; the oldest beyond a hundred are deleted. */
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
      KEPT,
    )
  }).immediate()
}

function whole({ run, findings }: Row): WholeCheck {
  return {
    ...(jsonOf('check_runs.run', run) as StoredCheck),
    ...(jsonOf('check_runs.findings', findings) as CheckFindings),
  }
}

/** Throws `NOT_FOUND` for an unknown id. */
export function readCheckRun(db: ReadableDb, id: string): WholeCheck {
  const row = rowStatement<Row>(db, 'SELECT run, findings FROM check_runs WHERE id = ?').get(id)
  if (row === undefined)
    throw new AppError(
      'NOT_FOUND',
      `Handler check ${id} not found. Only the latest hundred are kept.`,
    )
  return readRow(`Handler check ${id}`, row, whole)
}

/** Newest first. */
export function listCheckRuns(db: ReadableDb, limit: number): StoredCheck[] {
  const rows = valuesOf<string>(db, 'SELECT run FROM check_runs ORDER BY seq DESC LIMIT ?').all(
    limit,
  )
  return readRows(rows, (run) => jsonOf('check_runs.run', run) as StoredCheck)
}

/** The last finished check of the same target before this one; null if there is none. */
export function checkRunBefore(
  db: ReadableDb,
  { id, target }: { readonly id: string; readonly target: string },
): WholeCheck | null {
  const row = rowStatement<Row>(
    db,
    `SELECT run, findings FROM check_runs
       WHERE target = ? AND seq < (SELECT seq FROM check_runs WHERE id = ?) AND ${jsonSql('run', '{}')} ->> '$.state' = 'done' ORDER BY seq DESC LIMIT 1`,
  ).get(target, id)
  return readRows(row === undefined ? [] : [row], whole)[0] ?? null
}

/** A run, and the process that runs or ran it. */
export interface KeptRun<T> {
  readonly run: T
  readonly owner: number
}

/** The number of runs kept; the oldest are deleted. */
const MOST_KEPT = 1_000

/** Stores a run, replacing its earlier state. */
export function putFlowRun(db: WritableDb, { run, owner }: KeptRun<FlowRun>): void {
  const { steps: _steps, strays: _strays, ...summary } = run
  db.prepare(
    `INSERT INTO flow_runs (id, flow, started_at, owner, summary, run) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, summary = excluded.summary, run = excluded.run`,
  ).run(
    run.id,
    run.flow,
    Date.parse(run.startedAt),
    owner,
    JSON.stringify(summary),
    JSON.stringify(run),
  )
  db.prepare(
    'DELETE FROM flow_runs WHERE id <= (SELECT id FROM flow_runs ORDER BY id DESC LIMIT 1 OFFSET ?)',
  ).run(MOST_KEPT)
}

/** The runs' summaries as JSON, newest first, for one flow or all. */
export function listFlowRuns(
  db: ReadableDb,
  { flow, limit }: { flow: string | undefined; limit: number },
): KeptRun<string>[] {
  return rowStatement<KeptRun<string>>(
    db,
    `SELECT summary AS run, owner FROM flow_runs ${flow === undefined ? '' : 'WHERE flow = ?'} ORDER BY id DESC LIMIT ?`,
  ).all(...(flow === undefined ? [] : [flow]), limit)
}

/** The run as JSON. Throws `NOT_FOUND`. */
export function readFlowRun(db: ReadableDb, id: string): KeptRun<string> {
  const row = rowStatement<KeptRun<string>>(
    db,
    'SELECT run, owner FROM flow_runs WHERE id = ?',
  ).get(id)
  if (row !== undefined) return row
  throw new AppError('NOT_FOUND', `Run ${id} not found. List runs with "countersign flow runs".`)
}

/** Deliveries of a flow's run, each with the name of its step; null if no step expected it. */
export interface FlowDeliveries extends Pick<DeliveryFlow, 'flow' | 'run'> {
  readonly rows: readonly { readonly seq: number; readonly step: string | null }[]
}

/** Creates the function that marks a delivery as a run's, within the caller's transaction. */
export function prepareFlowDelivery(db: WritableDb) {
  const put = db.prepare(
    `INSERT INTO flow_deliveries (seq, run_id, flow, step) SELECT @seq, @run, @flow, @step WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = @seq)
     ON CONFLICT (seq) DO UPDATE SET run_id = excluded.run_id, flow = excluded.flow, step = excluded.step`,
  )
  return (mark: Pick<DeliveryFlow, 'flow' | 'run' | 'step'> & { readonly seq: number }) => {
    put.run(mark)
  }
}

/** Marks deliveries as a run's. Call it again to add the step of a delivery that is already marked. */
export function putFlowDeliveries(db: WritableDb, { flow, run, rows }: FlowDeliveries): void {
  const put = prepareFlowDelivery(db)
  const write = db.transaction(() =>
    recounting(
      db,
      rows.map(({ seq }) => seq),
      () => {
        for (const row of rows) put({ ...row, flow, run })
      },
    ),
  )
  withRelaxedCommit(db, write.immediate)
}
