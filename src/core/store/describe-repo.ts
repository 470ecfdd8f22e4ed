/**
 * What is known about a delivery besides its bytes: schema errors and other details, its event if only the payload shows it, and its
 * place within the notification, all stored with it; and our response, which is known only later.
 */
import { hash } from 'node:crypto'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import type { describePayload } from '../../shared/service/payload.ts'
import {
  acknowledges,
  ACKNOWLEDGE_TIMEOUT_MS,
  KEPT_RESPONSE_BYTES,
} from '../../shared/service/limits.ts'
import { collectAfter, releaseMemory } from '../base/threads/memory.ts'
import type { CapturedDelivery, DescribedDelivery } from './delivery-columns.ts'
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

/** Reads a payload. */
export type DescribePayload = typeof describePayload
type Description = ReturnType<DescribePayload>

/** The columns that make a delivery an attempt or a duplicate of another. */
const LINK_COLUMNS =
  'id, notification_key AS notificationKey, body_sha256 AS bodySha256, hook_id AS hookId, verdict'

type Linked = Pick<
  DescribedDelivery,
  'id' | 'notificationKey' | 'bodySha256' | 'hookId' | 'verdict'
>

interface Latest extends Linked {
  readonly environment: string | null
  readonly status: number | null
  readonly ms: number | null
}

interface Notification {
  readonly first_id: string
  readonly last_seq: number
  readonly attempts: number
  readonly acknowledged: number
}

function isAcknowledged(
  { status, ms, environment }: Latest,
  lenient: ReadonlySet<string>,
): boolean {
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

/** Creates the function that stores responses in their own transaction: what a power cut loses is known to nobody else. */
export function prepareStoreAnswers(db: WritableDb): (answers: readonly AnswerRow[]) => void {
  const store = db.transaction(prepareAnswers(db))
  return (answers) => withRelaxedCommit(db, () => storingResponses(db, () => store(answers)))
}

const NOTHING_SAID: Description = {
  schema: 'unknown',
  events: null,
  details: { amount: null, currency: null, merchant: null, schemaErrors: null },
}

/** What a payload says. A malformed or truncated one says nothing: its bytes aren't a payload. */
export function descriptionOf(
  { event, malformed, truncated }: Pick<CapturedDelivery, 'event' | 'malformed' | 'truncated'>,
  bytes: Uint8Array,
  describe: DescribePayload,
): Description {
  return truncated || malformed !== null ? NOTHING_SAID : describe(event, bytes)
}

/** The columns of a description: the event that it names is known by the payload, several are candidates. */
export function describedColumns<Row extends Pick<CapturedDelivery, 'event' | 'eventSource'>>(
  row: Row,
  { schema, events }: Description,
): Row & Pick<DescribedDelivery, 'schema' | 'eventCandidates'> {
  if (row.eventSource === 'hook' || events === null || events.length === 0)
    return { ...row, schema, eventCandidates: '[]' }
  const [only = null] = events.length === 1 ? events : []
  return {
    ...row,
    schema,
    event: only,
    eventSource: only === null ? null : 'payload',
    eventCandidates: JSON.stringify(only === null ? events : []),
  }
}

/** Creates the functions that store what is known about a delivery, within the transaction that stores it. */
export function prepareDescribing(db: WritableDb) {
  const putDetails = db.prepare(
    'INSERT OR REPLACE INTO details (seq, amount, currency, merchant, schema_errors) VALUES (?, ?, ?, ?, ?)',
  )
  const setAttempt = db.prepare(
    'UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ? WHERE seq = ?',
  )
  const readLatest = db.prepare<[number], Latest>(
    `SELECT ${LINK_COLUMNS}, environment, answer_status AS status, answer_ms AS ms FROM deliveries WHERE seq = ?`,
  )
  const readNotification = db.prepare<[number], Notification>(
    'SELECT first_id, last_seq, attempts, acknowledged FROM notifications WHERE key = ?',
  )
  const writeNotification = db.prepare(
    'INSERT OR REPLACE INTO notifications (key, first_id, last_seq, attempts, acknowledged) VALUES (?, ?, ?, ?, ?)',
  )
  const setProgress = db.prepare('UPDATE progress SET described_seq = max(described_seq, ?)')
  return {
    putDetails(seq: number, { details }: Description) {
      putDetails.run(seq, details.amount, details.currency, details.merchant, details.schemaErrors)
    },
    /** Finds the delivery that this one repeats. `lenient`: environments in which any 2xx acknowledges. */
    link(seq: number, row: Linked, lenient: ReadonlySet<string>) {
      const { notificationKey: key } = row
      if (key === null) return
      const known = readNotification.get(key)
      const last = known === undefined ? undefined : readLatest.get(known.last_seq)
      // The key is a short hash: its match must really be the same, otherwise it becomes a new notification. With the sender's own
      // name (a negative key) it is the same whatever the body.
      const isSame =
        last !== undefined &&
        last.hookId === row.hookId &&
        last.verdict === row.verdict &&
        (key < 0 || last.bodySha256 === row.bodySha256)
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
    },
    /** Every delivery up to this one is described. */
    describedTo(seq: number) {
      setProgress.run(seq)
    },
  }
}

interface LeftRow extends Linked, Pick<CapturedDelivery, 'event' | 'eventSource' | 'malformed'> {
  readonly truncated: number
  readonly bytes: Uint8Array | null
}

/** Deliveries of earlier versions described per transaction. */
const LEFT_AT_ONCE = 128

/** What an earlier version left: deliveries that are stored but not described, or described without details. */
export type Left = 'undescribed' | 'undetailed' | null

/** Creates the functions that describe what an earlier version left. */
export function prepareDescribeLeft(db: WritableDb) {
  const { putDetails, link, describedTo } = prepareDescribing(db)
  const undescribed = db
    .prepare<[number], number>(
      'SELECT seq FROM deliveries WHERE seq > (SELECT described_seq FROM progress) ORDER BY seq LIMIT ?',
    )
    .pluck()
  const undetailed = db
    .prepare<[number], number>(
      'SELECT seq FROM deliveries WHERE seq <= (SELECT undetailed_seq FROM progress) ORDER BY seq DESC LIMIT ?',
    )
    .pluck()
  // One by one: together, large bodies would fill the memory.
  const readRow = db.prepare<[number], LeftRow>(
    `SELECT ${LINK_COLUMNS}, event, event_source AS eventSource, malformed, truncated, bytes
     FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq WHERE d.seq = ?`,
  )
  const setColumns = db.prepare(
    'UPDATE deliveries SET schema = ?, event = ?, event_source = ?, event_candidates = ? WHERE seq = ?',
  )
  const setLeft = db.prepare('UPDATE progress SET undetailed_seq = ?')
  const describe = db.transaction(
    (readPayload: DescribePayload, lenient: ReadonlySet<string>): number[] => {
      const read = (seq: number) => {
        const row = readRow.get(seq)!
        const bytes = row.bytes ?? new Uint8Array()
        const description = descriptionOf(
          { ...row, truncated: row.truncated === 1 },
          bytes,
          readPayload,
        )
        releaseMemory(bytes)
        collectAfter(bytes.length)
        putDetails(seq, description)
        return { row, description }
      }
      const left = undescribed.all(LEFT_AT_ONCE)
      for (const seq of left) {
        const { row, description } = read(seq)
        const { schema, event, eventSource, eventCandidates } = describedColumns(row, description)
        setColumns.run(schema, event, eventSource, eventCandidates, seq)
        link(seq, row, lenient)
        describedTo(seq)
      }
      if (left.length > 0) return left
      const bare = undetailed.all(LEFT_AT_ONCE)
      for (const seq of bare) read(seq)
      setLeft.run((bare.at(-1) ?? 1) - 1)
      return bare
    },
  )
  return {
    /** Which deliveries are left; those that aren't described come first. */
    pending(): Left {
      if (undescribed.get(1) !== undefined) return 'undescribed'
      return undetailed.get(1) === undefined ? null : 'undetailed'
    },
    /** Describes some and returns their seqs: those that aren't described, oldest first; then the newest without details. */
    describe: (readPayload: DescribePayload, lenientEnvironments: readonly string[]): number[] =>
      withRelaxedCommit(db, () => describe(readPayload, new Set(lenientEnvironments))),
  }
}
