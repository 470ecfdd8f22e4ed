/**
 * Statistics of matches, counted in JavaScript, because SQL would read the rows once per grouping.
 */
import {
  emptyGroup,
  RESPONSE_CLASSES,
  roundedTime,
  VERDICT_CLASSES,
  type ResponseClass,
  type Statistics,
  type StatisticsGroup,
} from '../../shared/model/statistics.ts'
import { FLAGS } from '../../shared/query/flags.ts'
import type { Query } from '../../shared/query/query.ts'
import { REPLAY_OUTCOME } from './handler-responses.ts'
import { matchesSql } from './search/finder.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { stillWanted } from './read-limits.ts'
import { COUNTABLE_ROWS, VERDICT_CLASS } from './delivery-totals.ts'

interface CountedRow {
  readonly verdict: number
  readonly outcome: ResponseClass | null
  readonly event: string | null
  readonly hook: string | null
  readonly handler: string | null
  readonly retried: number
  /** Milliseconds of the receiver's response, and of the handler's. */
  readonly ours: number | null
  readonly handlers: number | null
}

function createGroup(key: string | null) {
  const verdicts = VERDICT_CLASSES.map(() => 0)
  const responses = RESPONSE_CLASSES.map(() => 0)
  const ours = new Map<number, number>()
  const handlers = new Map<number, number>()
  let retried = 0
  const add = (times: Map<number, number>, ms: number | null) => {
    if (ms === null) return
    const rounded = roundedTime(ms)
    times.set(rounded, (times.get(rounded) ?? 0) + 1)
  }
  return {
    add(row: CountedRow) {
      verdicts[row.verdict]!++
      if (row.outcome !== null) responses[RESPONSE_CLASSES.indexOf(row.outcome)]!++
      retried += row.retried
      add(ours, row.ours)
      add(handlers, row.handlers)
    },
    done: (): StatisticsGroup => ({
      ...emptyGroup(key),
      verdicts,
      responses,
      retried,
      ours: [...ours],
      handlers: [...handlers],
    }),
  }
}

function createSums() {
  const all = createGroup(null)
  const createGroups = () => new Map<string | null, ReturnType<typeof createGroup>>()
  const groups = { event: createGroups(), hook: createGroups(), handler: createGroups() }
  function addTo(by: keyof typeof groups, row: CountedRow): void {
    const key = row[by]
    const group = groups[by].get(key) ?? createGroup(key)
    groups[by].set(key, group)
    group.add(row)
  }
  const done = (by: keyof typeof groups) => Array.from(groups[by].values(), (group) => group.done())
  return {
    add(row: CountedRow) {
      all.add(row)
      addTo('event', row)
      addTo('hook', row)
      if (row.handler !== null) addTo('handler', row)
    },
    done: (): Statistics => ({
      all: all.done(),
      event: done('event'),
      hook: done('hook'),
      handler: done('handler'),
    }),
  }
}

const IS_RETRIED = FLAGS['is:retry'].sql
const HANDLER_NAME = "coalesce('@' || h.name, s.target)"
const HANDLER_MS = 'CASE WHEN s.status IS NOT NULL THEN s.ms END'

export function readStatistics(db: ReadableDb, query: Query): Statistics {
  return db.transaction((): Statistics => {
    const { add, done } = createSums()
    for (const { sql, values } of matchesSql(db, { query })) {
      const rows = rowStatement<CountedRow>(
        db,
        `SELECT ${STATISTICS_OF}, r.outcome, CASE WHEN d.answer_status IS NOT NULL THEN d.answer_ms END AS ours
         FROM (${sql}) m CROSS JOIN ${COUNTABLE_ROWS} LEFT JOIN sends s ON s.seq = r.send_seq LEFT JOIN handlers h ON h.seq = s.handler
         WHERE d.seq = m.seq`,
      )
      for (const row of rows.iterate(...values)) add(row)
    }
    return done()
  })()
}

export function readReplayStatistics(db: ReadableDb, replayId: string): Statistics {
  const rows = rowStatement<CountedRow>(
    db,
    `SELECT ${STATISTICS_OF}, nullif(${REPLAY_OUTCOME}, 'recorded') AS outcome, NULL AS ours
     FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id
       LEFT JOIN handlers h ON h.seq = s.handler
     WHERE ${stillWanted('s.position')} AND s.job_id = ? AND s.state = 'settled'`,
  )
  const { add, done } = createSums()
  for (const row of rows.iterate(replayId)) add(row)
  return done()
}

/** Columns of a delivery `d` with a send `s` and its handler `h`. */
const STATISTICS_OF = `${VERDICT_CLASS} AS verdict, d.event, d.hook_id AS hook, ${HANDLER_NAME} AS handler, ${IS_RETRIED} AS retried,
  ${HANDLER_MS} AS handlers`
