/** Last response of the user's handler to each delivery, apart from the table of deliveries. */
import type { Database } from 'better-sqlite3'
import type { HandlerResponse, LastReplay } from '../../shared/model/delivery.ts'
import { jsonSql } from './rows.ts'
import { columnStatement } from './statements.ts'

const IS_VALID_AND_FRESH = "d.verdict = 'valid' AND d.freshness = 'fresh'"
/** Condition of a send without a valid signature. */
export const IS_FORGED =
  "(s.registered_url IS NULL OR s.tamper IN ('body', 'secret', 'single-pass', 'no-signature', 'no-timestamp', 'url'))"

/** Returns the condition that a send rejected its request, for its alias. */
export const rejectionSql = (send: string) =>
  `(${send}.error IS NULL AND ${send}.status BETWEEN 400 AND 499)`

const outcomeSql = (outcome: HandlerResponse['outcome']) => `'${outcome}'`

/** Outcome of a send `s` of a delivery `d`; neutral for a forgery signed again. */
const OUTCOME = `CASE
  WHEN ${IS_VALID_AND_FRESH} THEN CASE s.passed WHEN 1 THEN ${outcomeSql('acknowledged')} ELSE ${outcomeSql('failing')} END
  WHEN d.verdict IN ('invalid', 'unsigned') AND ${IS_FORGED} THEN CASE
    WHEN s.passed = 1 THEN ${outcomeSql('failing')}
    WHEN ${rejectionSql('s')} THEN ${outcomeSql('rejected')}
    ELSE ${outcomeSql('neutral')} END
  ELSE ${outcomeSql('neutral')} END`

const SETTINGS = jsonSql('j.settings', '{}')
const editSql = (path: string) => `json_extract(${SETTINGS}, '$.edits.${path}')`
const HAS_OTHER_CONTENT = `(j.body IS NOT NULL OR coalesce(${editSql('method')}, ${editSql('headers')}, ${editSql('set')}) IS NOT NULL
  OR coalesce(json_array_length(${SETTINGS}, '$.edits.setHeaders'), 0) > 0)`
const HAS_EDITED_SIGNATURE = `(coalesce(${editSql('signature')}, 'recompute') <> 'recompute' OR coalesce(${editSql('timestamp')}, 'now') <> 'now')`

/**
 * Condition of an unedited send that counts as the handler's response to the delivery: `passed` is
 * null without one, and a valid delivery must not be tampered with.
 */
const COUNTS_UNEDITED = `s.passed IS NOT NULL AND NOT (${IS_VALID_AND_FRESH} AND s.tamper IS NOT NULL)`
/** Condition of any send that counts, for which a job `j` may have edits. */
const COUNTS = `${COUNTS_UNEDITED}
  AND (s.variant IS NULL OR NOT (${HAS_OTHER_CONTENT} OR (${IS_VALID_AND_FRESH} AND ${HAS_EDITED_SIGNATURE})))`

export const IS_FAILING = `(${COUNTS} AND ${OUTCOME} = ${outcomeSql('failing')})`

const replayOutcomeSql = (outcome: LastReplay['outcome']) => `'${outcome}'`

/** Outcome of a settled replay `s` of a job `j`. */
export const REPLAY_OUTCOME = `CASE
  WHEN s.passed IS NULL THEN ${replayOutcomeSql('recorded')}
  WHEN s.tamper IN ('stale', 'future') THEN ${replayOutcomeSql('neutral')}
  WHEN s.tamper IS NULL AND NOT (s.variant IS NOT NULL AND ${HAS_EDITED_SIGNATURE})
    THEN CASE s.passed WHEN 1 THEN ${replayOutcomeSql('acknowledged')} ELSE ${replayOutcomeSql('failing')} END
  WHEN s.passed = 1 THEN ${replayOutcomeSql('failing')}
  WHEN ${rejectionSql('s')} THEN ${replayOutcomeSql('rejected')}
  ELSE ${replayOutcomeSql('neutral')} END`

/** Last replay of a delivery as JSON. */
export const LAST_REPLAY = `(SELECT json_object('outcome', ${REPLAY_OUTCOME},
    'at', s.started_at, 'status', s.status, 'target', s.target, 'sendId', s.job_id || '.' || s.position,
    'fixed', s.outcome IS 'fixed' AND s.tamper IS NULL AND NOT (s.variant IS NOT NULL AND ${HAS_EDITED_SIGNATURE}))
  FROM sends s INDEXED BY sends_settled LEFT JOIN replay_jobs j ON j.id = s.job_id
  WHERE s.delivery_seq = d.seq AND s.state = 'settled' AND s.kind = 'replay' AND s.started_at IS NOT NULL
  ORDER BY s.started_at DESC, s.seq DESC LIMIT 1)`

const SELECT_OUTCOME = `SELECT s.delivery_seq, s.seq, ${OUTCOME} FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq`
const JOIN_JOB = 'LEFT JOIN replay_jobs j ON j.id = s.job_id'

export const FILL_RESPONSES = `INSERT OR REPLACE INTO handler_responses (seq, send_seq, outcome)
  ${SELECT_OUTCOME} ${JOIN_JOB} WHERE s.state = 'settled' AND ${COUNTS} ORDER BY s.delivery_seq, s.started_at, s.seq`

/** Outcome before and after; null without a response. */
export interface ResponseChange {
  readonly seq: number
  readonly before: string | null
  readonly after: string | null
}

/** Creates the function that records a response, in the send's transaction. */
export function prepareResponse(db: Database) {
  const outcomeOf = columnStatement<string>(
    db,
    'SELECT outcome FROM handler_responses WHERE seq = ?',
  )
  // A failed try is `waiting` if another one follows.
  const preparePut = (job: string, counts: string) =>
    columnStatement<string>(
      db,
      `INSERT INTO handler_responses (seq, send_seq, outcome) ${SELECT_OUTCOME} ${job}
         WHERE s.seq = ? AND s.state IN ('settled', 'waiting') AND ${counts}
         ON CONFLICT (seq) DO UPDATE SET send_seq = excluded.send_seq, outcome = excluded.outcome RETURNING outcome`,
    )
  const putEdited = preparePut(JOIN_JOB, COUNTS)
  // Reading a job's settings takes as long as the rest.
  const putUnedited = preparePut('', COUNTS_UNEDITED)
  return (
    sendSeq: number,
    {
      deliverySeq: seq,
      variant,
    }: { readonly deliverySeq: number; readonly variant: string | null },
  ): ResponseChange | null => {
    const before = outcomeOf.get(seq) ?? null
    const after = (variant === null ? putUnedited : putEdited).get(sendSeq)
    return after === undefined ? null : { seq, before, after }
  }
}

/** Creates the function that judges a response again after the delivery's verdict changed. */
export function prepareRejudge(db: Database): (seq: number) => void {
  const again = db.prepare(
    `UPDATE handler_responses SET outcome = (SELECT ${OUTCOME} FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq
       WHERE s.seq = handler_responses.send_seq) WHERE seq = ?`,
  )
  return (seq) => again.run(seq)
}
