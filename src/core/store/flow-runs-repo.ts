/** Keeps and finds the runs of flows. Only this file sees their rows. */
import { AppError } from '../../shared/contract/errors.ts'
import { flowRunSchema, flowRunSummarySchema, type FlowRun, type FlowRunSummary } from '../../shared/model/flow-run.ts'
import type { ReadableDb, WritableDb } from './open.ts'

/** A run with the process that it goes, or went, in. */
export interface KeptRun<T> {
  readonly run: T
  readonly owner: number
}

/** So many are kept; the oldest give way. */
const MOST_KEPT = 1_000

/** Keeps a run as it is now, in the place of what was kept of it before. */
export function putFlowRun(db: WritableDb, { run, owner }: KeptRun<FlowRun>): void {
  const { steps: _steps, strays: _strays, ...summary } = run
  db.prepare(
    `INSERT INTO flow_runs (id, flow, started_at, owner, summary, run) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, summary = excluded.summary, run = excluded.run`,
  ).run(run.id, run.flow, Date.parse(run.startedAt), owner, JSON.stringify(summary), JSON.stringify(run))
  db.prepare('DELETE FROM flow_runs WHERE id <= (SELECT id FROM flow_runs ORDER BY id DESC LIMIT 1 OFFSET ?)').run(MOST_KEPT)
}

/** Newest first, of one flow or all. */
export function listFlowRuns(
  db: ReadableDb,
  { flow, limit }: { flow: string | undefined; limit: number },
): KeptRun<FlowRunSummary>[] {
  return db
    .prepare<unknown[], { summary: string; owner: number }>(
      `SELECT summary, owner FROM flow_runs ${flow === undefined ? '' : 'WHERE flow = ?'} ORDER BY id DESC LIMIT ?`,
    )
    .all(...(flow === undefined ? [] : [flow]), limit)
    .map(({ summary, owner }) => ({ run: flowRunSummarySchema.parse(JSON.parse(summary)), owner }))
}

/** Throws `NOT_FOUND`. */
export function readFlowRun(db: ReadableDb, id: string): KeptRun<FlowRun> {
  const row = db.prepare<[string], { run: string; owner: number }>('SELECT run, owner FROM flow_runs WHERE id = ?').get(id)
  if (row !== undefined) return { run: flowRunSchema.parse(JSON.parse(row.run)), owner: row.owner }
  throw new AppError('NOT_FOUND', `There is no run ${id}. List them with "countersign flow runs".`)
}
