/** Last response of the user's handler to each delivery, apart from the table of deliveries. */
import type { Database } from 'better-sqlite3'
import type { HandlerResponse } from '../../shared/model/delivery.ts'
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

const SETTINGS = jsonSql('j.settings', '{}')
const editSql = (path: string) => `json_extract(${SETTINGS}, '$.edits.${path}')`
const HAS_OTHER_CONTENT = `(j.body IS NOT NULL OR coalesce(${editSql('method')}, ${editSql('headers')}, ${editSql('set')}) IS NOT NULL
  OR coalesce(json_array_length(${SETTINGS}, '$.edits.setHeaders'), 0) > 0)`
const HAS_EDITED_SIGNATURE = `(coalesce(${editSql('signature')}, 'recompute') <> 'recompute' OR coalesce(${editSql('timestamp')}, 'now') <> 'now')`

/**
 * Returns the right response to a send `s` of a delivery `d`, by the send's signature: a fresh one
 * must be acknowledged, whatever the delivery's own signature is.
 * @param isKept SQL of whether the send had another signature or timestamp than a fresh one.
 */
const expectedSql = (isKept: string) => `CASE
  WHEN s.tamper IS NOT NULL THEN 'rejected'
  WHEN NOT (${isKept} OR (s.kind = 'forward' AND s.registered_url IS NULL)) THEN 'acknowledged'
  WHEN d.verdict IN ('invalid', 'unsigned') THEN 'rejected'
  WHEN s.kind = 'forward' AND ${IS_VALID_AND_FRESH} THEN 'acknowledged'
  ELSE 'either' END`

const responseSql = (expected: string) => `CASE ${expected}
  WHEN 'acknowledged' THEN CASE s.passed WHEN 1 THEN ${outcomeSql('acknowledged')} ELSE ${outcomeSql('failing')} END
  WHEN 'rejected' THEN CASE WHEN ${rejectionSql('s')} THEN ${outcomeSql('rejected')} ELSE ${outcomeSql('failing')} END
  ELSE CASE WHEN s.passed = 1 OR ${rejectionSql('s')} THEN ${outcomeSql('neutral')} ELSE ${outcomeSql('failing')} END END`

/** Response that is right for a send, for which a replay `j` may have edits. */
export const EXPECTED = expectedSql(`(s.variant IS NOT NULL AND ${HAS_EDITED_SIGNATURE})`)
const OUTCOME = responseSql(EXPECTED)
const OUTCOME_UNEDITED = responseSql(expectedSql('0'))

/**
 * Condition of an unedited send that counts as the handler's response to the delivery: `passed` is
 * null without one, and a valid delivery must not be tampered with.
 */
const COUNTS_UNEDITED = `s.passed IS NOT NULL AND NOT (${IS_VALID_AND_FRESH} AND s.tamper IS NOT NULL)`
/** Condition of any send that counts, for which a replay `j` may have edits. */
const COUNTS = `${COUNTS_UNEDITED}
  AND (s.variant IS NULL OR NOT (${HAS_OTHER_CONTENT} OR (${IS_VALID_AND_FRESH} AND ${HAS_EDITED_SIGNATURE})))`

export const IS_FAILING = `(${COUNTS} AND ${OUTCOME} = ${outcomeSql('failing')})`

/** Outcome of a settled replay `s` of a replay `j`. */
export const REPLAY_OUTCOME = `CASE
  WHEN s.passed IS NULL THEN 'recorded'
  ELSE ${OUTCOME} END`

/** Last replay of a delivery as JSON. */
export const LAST_REPLAY = `(SELECT json_object('outcome', ${REPLAY_OUTCOME},
    'at', s.started_at, 'status', s.status, 'target', s.target, 'sendId', s.job_id || '.' || s.position,
    'fixed', s.outcome IS 'fixed' AND s.tamper IS NULL AND NOT (s.variant IS NOT NULL AND ${HAS_EDITED_SIGNATURE}))
  FROM sends s INDEXED BY sends_settled LEFT JOIN replay_jobs j ON j.id = s.job_id
  WHERE s.delivery_seq = d.seq AND s.state = 'settled' AND s.kind = 'replay' AND s.started_at IS NOT NULL
  ORDER BY s.started_at DESC, s.seq DESC LIMIT 1)`

const selectSql = (outcome: string) =>
  `SELECT s.delivery_seq, s.seq, ${outcome} FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq`
const JOIN_REPLAY = 'LEFT JOIN replay_jobs j ON j.id = s.job_id'

export const FILL_RESPONSES = `INSERT OR REPLACE INTO handler_responses (seq, send_seq, outcome)
  ${selectSql(OUTCOME)} ${JOIN_REPLAY} WHERE s.state = 'settled' AND ${COUNTS} ORDER BY s.delivery_seq, s.started_at, s.seq`

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
  const preparePut = (select: string, counts: string) =>
    columnStatement<string>(
      db,
      `INSERT INTO handler_responses (seq, send_seq, outcome) ${select}
         WHERE s.seq = ? AND s.state IN ('settled', 'waiting') AND ${counts}
         ON CONFLICT (seq) DO UPDATE SET send_seq = excluded.send_seq, outcome = excluded.outcome RETURNING outcome`,
    )
  const putEdited = preparePut(`${selectSql(OUTCOME)} ${JOIN_REPLAY}`, COUNTS)
  // Reading a replay's settings takes as long as the rest.
  const putUnedited = preparePut(selectSql(OUTCOME_UNEDITED), COUNTS_UNEDITED)
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
       ${JOIN_REPLAY} WHERE s.seq = handler_responses.send_seq) WHERE seq = ?`,
  )
  return (seq) => again.run(seq)
}
