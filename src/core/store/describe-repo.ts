/**
 * Adds data after a delivery is stored and acknowledged: its response, schema errors and other details, its event if only the payload
 * shows it, and its place within the notification. Receiving never waits for it.
 */
import { hash } from 'node:crypto'
import type { OwnResponse, RawHeaders, SchemaOutcome } from '../../shared/model/delivery.ts'
import type { PayloadDetails } from '../../shared/service/payload.ts'
import {
  acknowledges,
  ACKNOWLEDGE_TIMEOUT_MS,
  KEPT_RESPONSE_BYTES,
} from '../../shared/service/limits.ts'
import { type WritableDb, withRelaxedCommit } from './open.ts'

/** A response as it is sent; status null if the connection was dropped. */
export interface SentResponse {
  readonly status: number | null
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
}

/** The receiver's response and its time in milliseconds; status null if the connection was dropped. */
export interface AnswerRow {
  readonly seq: number
  readonly status: number | null
  readonly ms: number | null
  /** Missing if only the status is known. The same object for equal responses costs least: a batch has it once. */
  readonly response?: SentResponse
}

/** Results from one delivery's payload. `events`: those that match, if no key identifies the event. */
export interface DescriptionRow {
  readonly seq: number
  readonly schema: SchemaOutcome
  readonly events: readonly string[] | null
  /** Missing if the payload couldn't be described. */
  readonly details?: PayloadDetails
}

/** Details of deliveries that an earlier version described. */
export interface DetailsBatch {
  readonly rows: readonly Pick<DescriptionRow, 'seq' | 'details'>[]
  /** Deliveries up to this seq are still without details. */
  readonly left: number
}

export interface DescribeBatch {
  readonly answers: readonly AnswerRow[]
  readonly descriptions: readonly DescriptionRow[]
  /** Environments that treat any 2xx as an acknowledgement, where the spec says 200. */
  readonly lenientEnvironments: readonly string[]
}

interface Linked {
  readonly id: string
  readonly notification_key: number | null
  readonly body_sha256: string
  readonly hook_id: string | null
  readonly verdict: string
  readonly environment: string | null
  readonly answer_status: number | null
  readonly answer_ms: number | null
}

interface Notification {
  readonly first_id: string
  readonly last_seq: number
  readonly attempts: number
  readonly acknowledged: number
}

function isAcknowledged(row: Linked, lenient: ReadonlySet<string>): boolean {
  const { answer_status: status, answer_ms: ms, environment } = row
  if (status === null || ms === null || ms > ACKNOWLEDGE_TIMEOUT_MS) return false
  return acknowledges(status, environment !== null && lenient.has(environment) ? '2xx' : '200')
}

/** 48 bits of a hash: stored responses are few enough for that. */
function keyOf(content: string): number {
  return Number.parseInt(hash('sha256', content, 'hex').slice(0, 12), 16)
}

function contentOf({ status, headers, body }: SentResponse): string {
  const bytes =
    typeof body === 'string'
      ? Buffer.from(body)
      : Buffer.from(body.buffer, body.byteOffset, body.length)
  const response: OwnResponse = {
    status,
    headers: headers.map(([name, value]) => [name, value]),
    body: bytes.subarray(0, KEPT_RESPONSE_BYTES).toString('base64'),
    truncated: bytes.length > KEPT_RESPONSE_BYTES,
  }
  return JSON.stringify(response)
}

/** Above this, a response's next uses are claimed one batch at a time. */
const MOST_CLAIMED = 4_096
const FIRST_CLAIM = 16
/** Responses with claimed uses in memory; the receiver returns far fewer different ones in a row. */
const MOST_KEPT = 64

interface Claim {
  readonly key: number
  /** Uses that are stored and not yet taken. */
  free: number
  /** How many more to claim next time: none for a response that is used once. */
  more: number
}

export interface KeptResponses {
  /** Stores a response for a number of deliveries and returns its key. */
  keep(content: string, uses: number): number
  /** Within a transaction: makes the stored uses exact again. */
  settle(): void
  /** After a transaction failed. Claims that may not be stored are dropped; the others stay counted, so nothing in use is deleted. */
  forget(): void
}

const keptResponses = new WeakMap<WritableDb, KeptResponses>()

/**
 * The responses that this connection stores. Their uses are claimed in advance, because counting each one would write another page per
 * commit. The stored number is never too low: after a crash, a response may outlive its last delivery.
 */
export function responsesOf(db: WritableDb): KeptResponses {
  const known = keptResponses.get(db)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  const put = db.prepare(
    'INSERT INTO responses (key, uses, content) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET uses = uses + excluded.uses',
  )
  const giveBack = db.prepare('UPDATE responses SET uses = uses - ? WHERE key = ?')
  const responses: KeptResponses = {
    keep(content, uses) {
      if (!claims.has(content) && claims.size >= MOST_KEPT) responses.settle()
      const claim = claims.get(content) ?? { key: keyOf(content), free: 0, more: 0 }
      claims.set(content, claim)
      if (claim.free < uses) {
        put.run(claim.key, uses - claim.free + claim.more, content)
        claim.free = uses + claim.more
        claim.more = Math.min(MOST_CLAIMED, Math.max(FIRST_CLAIM, 2 * claim.more))
      }
      claim.free -= uses
      return claim.key
    },
    settle() {
      for (const { key, free } of claims.values()) if (free > 0) giveBack.run(free, key)
      claims.clear()
    },
    forget() {
      claims.clear()
    },
  }
  keptResponses.set(db, responses)
  return responses
}

/** Makes the stored uses exact before the connection closes; if that fails, they stay too high. */
export function settleResponses(db: WritableDb): void {
  withRelaxedCommit(db, () => storingResponses(db, db.transaction(responsesOf(db).settle)))
}

/** Runs a transaction that stores responses. */
export function storingResponses<Result>(db: WritableDb, transaction: () => Result): Result {
  try {
    return transaction()
  } catch (error) {
    responsesOf(db).forget()
    throw error
  }
}

/** Creates the function that adds responses. Equal ones of a batch are stored once. */
export function prepareAnswers(db: WritableDb): (answers: readonly AnswerRow[]) => void {
  const set = db.prepare(
    'UPDATE deliveries SET answer_status = ?, answer_ms = ?, response = ? WHERE seq = ?',
  )
  const { keep } = responsesOf(db)
  return (answers) => {
    const kept = new Map<
      SentResponse,
      { readonly content: string; readonly key: number; uses: number }
    >()
    for (const { seq, status, ms, response } of answers) {
      if (response !== undefined && !kept.has(response)) {
        const content = contentOf(response)
        kept.set(response, { content, key: keyOf(content), uses: 0 })
      }
      const its = response === undefined ? undefined : kept.get(response)
      // It may have been deleted before the response was sent.
      if (set.run(status, ms, its?.key ?? null, seq).changes > 0 && its !== undefined) its.uses++
    }
    for (const { content, uses } of kept.values()) if (uses > 0) keep(content, uses)
  }
}

/** Creates the function that adds details of deliveries that still exist. */
function preparePutDetails(db: WritableDb): (rows: DetailsBatch['rows']) => void {
  const put = db.prepare(
    `INSERT OR REPLACE INTO details (seq, amount, currency, merchant, schema_errors)
     SELECT seq, ?, ?, ?, ? FROM deliveries WHERE seq = ?`,
  )
  return (rows) => {
    for (const { seq, details } of rows)
      if (details !== undefined)
        put.run(details.amount, details.currency, details.merchant, details.schemaErrors, seq)
  }
}

/** Creates the function that adds details of earlier deliveries, with the progress, in one transaction. */
export function prepareFillIn(db: WritableDb): (batch: DetailsBatch) => void {
  const put = preparePutDetails(db)
  const setLeft = db.prepare('UPDATE progress SET undetailed_seq = ?')
  const fillIn = db.transaction(({ rows, left }: DetailsBatch) => {
    put(rows)
    setLeft.run(left)
  })
  return (batch) => withRelaxedCommit(db, () => fillIn(batch))
}

/** Creates the function that adds one batch, in row order, in one transaction. */
export function prepareDescribe(db: WritableDb): (batch: DescribeBatch) => void {
  const setAnswers = prepareAnswers(db)
  const putDetails = preparePutDetails(db)
  const setSchema = db.prepare('UPDATE deliveries SET schema = ? WHERE seq = ?')
  const setEvent = db.prepare(
    `UPDATE deliveries SET event = ?, event_source = ?, event_candidates = ? WHERE seq = ? AND event_source IS NOT 'hook'`,
  )
  const setAttempt = db.prepare(
    'UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ? WHERE seq = ?',
  )
  const readLinked = db.prepare<[number], Linked>(
    'SELECT id, notification_key, body_sha256, hook_id, verdict, environment, answer_status, answer_ms FROM deliveries WHERE seq = ?',
  )
  const readNotification = db.prepare<[number], Notification>(
    'SELECT first_id, last_seq, attempts, acknowledged FROM notifications WHERE key = ?',
  )
  const writeNotification = db.prepare(
    'INSERT OR REPLACE INTO notifications (key, first_id, last_seq, attempts, acknowledged) VALUES (?, ?, ?, ?, ?)',
  )
  const setProgress = db.prepare('UPDATE progress SET described_seq = max(described_seq, ?)')

  function link(seq: number, lenient: ReadonlySet<string>): void {
    const row = readLinked.get(seq)
    if (row === undefined || row.notification_key === null) return
    const key = row.notification_key
    const known = readNotification.get(key)
    const last = known === undefined ? undefined : readLinked.get(known.last_seq)
    // The key is a short hash: its match must really be the same, otherwise it becomes a new notification. With the sender's own
    // name (a negative key) it is the same whatever the body.
    const isSame =
      last !== undefined &&
      last.hook_id === row.hook_id &&
      last.verdict === row.verdict &&
      (key < 0 || last.body_sha256 === row.body_sha256)
    if (known === undefined || last === undefined || !isSame) {
      writeNotification.run(key, row.id, seq, 1, 0)
      return
    }
    const acknowledged = known.acknowledged === 1 || isAcknowledged(last, lenient)
    const attempt = acknowledged ? 1 : known.attempts + 1
    setAttempt.run(
      attempt,
      acknowledged ? null : known.first_id,
      acknowledged ? known.first_id : null,
      seq,
    )
    writeNotification.run(
      key,
      known.first_id,
      seq,
      acknowledged ? known.attempts : attempt,
      acknowledged ? 1 : 0,
    )
  }

  const fillIn = db.transaction((batch: DescribeBatch) => {
    const lenient = new Set(batch.lenientEnvironments)
    setAnswers(batch.answers)
    putDetails(batch.descriptions)
    for (const { seq, schema, events } of batch.descriptions) {
      if (schema !== 'unknown') setSchema.run(schema, seq)
      if (events !== null && events.length > 0) {
        const only = events.length === 1 ? events[0] : null
        setEvent.run(
          only,
          only === null ? null : 'payload',
          JSON.stringify(only === null ? events : []),
          seq,
        )
      }
      link(seq, lenient)
    }
    const last = batch.descriptions.at(-1)
    if (last !== undefined) setProgress.run(last.seq)
  })
  return (batch) => withRelaxedCommit(db, () => storingResponses(db, () => fillIn(batch)))
}
