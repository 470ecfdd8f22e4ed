/** Last finished run of each flow against a handler, and why it failed. */
import type { FlowRun } from '../../shared/model/flow-run.ts'
import type { HandlerPage } from '../../shared/model/handler.ts'
import { isFailedStep } from '../../shared/model/flow-outcomes.ts'
import { failureReason } from '../../shared/flow-diagram/failure-reason.ts'
import { eventOf } from '../../shared/flow-diagram/run-summary.ts'
import type { ReadableDb } from './database.ts'
import { jsonOf, jsonSql, readRows } from './rows.ts'
import { rowStatement } from './statements.ts'

export interface HandlerFlow {
  readonly shown: HandlerPage['flows'][number]
  /** Send whose response made the flow fail; null if something else did. */
  readonly failedSend: string | null
  /** Event of the first failed step. */
  readonly failedEvent: string | null
}

const SUMMARY = jsonSql('summary', '{}')

interface RunRow {
  readonly summary: string
  /** Whole run, if it failed. */
  readonly run: string | null
}

/** Reads the last finished run of each flow against a handler, newest first. */
export function readHandlerFlows(
  db: ReadableDb,
  { name, target }: { readonly name: string; readonly target: string },
): readonly HandlerFlow[] {
  const rows = rowStatement<RunRow>(
    db,
    `SELECT summary, CASE ${SUMMARY} ->> '$.outcome' WHEN 'fail' THEN run END AS run FROM flow_runs WHERE id IN (
       SELECT max(id) FROM flow_runs WHERE ${SUMMARY} ->> '$.state' = 'done'
         AND (${SUMMARY} ->> '$.handlerName' = ? OR ${SUMMARY} ->> '$.handler' = ?)
         AND ${SUMMARY} ->> '$.outcome' IS NOT NULL AND ${SUMMARY} ->> '$.endedAt' IS NOT NULL
       GROUP BY flow) ORDER BY id DESC`,
  ).all(name, target)
  return readRows(rows, toHandlerFlow)
}

function toHandlerFlow({ summary: text, run: whole }: RunRow): HandlerFlow {
  const { flow, title, id, summary, startedAt, ...ended } = jsonOf('flow_runs.summary', text)
  const { outcome, endedAt } = ended as Pick<HandlerFlow['shown'], 'outcome' | 'endedAt'>
  const run = whole === null ? null : (jsonOf('flow_runs.run', whole) as FlowRun)
  const reason = run === null ? '' : failureReason(run)
  return {
    shown: { flow, title, runId: id, outcome, summary, reason, startedAt, endedAt },
    ...failedStepOf(run?.steps ?? []),
  }
}

function failedStepOf(steps: FlowRun['steps']): Pick<HandlerFlow, 'failedSend' | 'failedEvent'> {
  const failed = steps.find(isFailedStep)
  if (failed === undefined) return { failedSend: null, failedEvent: null }
  return {
    failedSend: failed.kind === 'answer' ? (failed.response?.sendId ?? null) : null,
    failedEvent: eventOf(failed, steps),
  }
}
