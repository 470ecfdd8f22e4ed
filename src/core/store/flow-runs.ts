/** Runs of flows, and their deliveries. */
import { AppError } from '../../shared/contract/errors.ts'
import type { DeliveryFlow } from '../../shared/model/delivery.ts'
import type { FlowRun } from '../../shared/model/flow-run.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { withRecount } from './delivery-totals.ts'

export interface StoredFlowRun<T> {
  readonly run: T
  readonly owner: number
}

const MAX_FLOW_RUNS = 1_000

export function putFlowRun(db: WritableDb, { run, owner }: StoredFlowRun<FlowRun>): void {
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
  ).run(MAX_FLOW_RUNS)
}

/** Lists summaries as JSON, newest first. */
export function listFlowRuns(
  db: ReadableDb,
  { flow, limit }: { flow: string | undefined; limit: number },
): StoredFlowRun<string>[] {
  return rowStatement<StoredFlowRun<string>>(
    db,
    `SELECT summary AS run, owner FROM flow_runs ${flow === undefined ? '' : 'WHERE flow = ?'} ORDER BY id DESC LIMIT ?`,
  ).all(...(flow === undefined ? [] : [flow]), limit)
}

/** Reads a run as JSON. Throws `NOT_FOUND`. */
export function readFlowRun(db: ReadableDb, id: string): StoredFlowRun<string> {
  const row = rowStatement<StoredFlowRun<string>>(
    db,
    'SELECT run, owner FROM flow_runs WHERE id = ?',
  ).get(id)
  if (row !== undefined) return row
  throw new AppError('NOT_FOUND', `Run ${id} not found. List runs with "countersign flow runs".`)
}

/** Deliveries of a run, each with the step that expected it. */
export interface FlowDeliveries extends Pick<DeliveryFlow, 'flow' | 'run'> {
  readonly rows: readonly { readonly seq: number; readonly step: string | null }[]
}

export function prepareFlowDelivery(db: WritableDb) {
  const put = db.prepare(
    `INSERT INTO flow_deliveries (seq, run_id, flow, step) SELECT @seq, @run, @flow, @step WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = @seq)
     ON CONFLICT (seq) DO UPDATE SET run_id = excluded.run_id, flow = excluded.flow, step = excluded.step`,
  )
  return (mark: Pick<DeliveryFlow, 'flow' | 'run' | 'step'> & { readonly seq: number }) => {
    put.run(mark)
  }
}

export function putFlowDeliveries(db: WritableDb, { flow, run, rows }: FlowDeliveries): void {
  const put = prepareFlowDelivery(db)
  const write = db.transaction(() =>
    withRecount(
      db,
      rows.map(({ seq }) => seq),
      () => {
        for (const row of rows) put({ ...row, flow, run })
      },
    ),
  )
  withRelaxedCommit(db, write.immediate)
}
