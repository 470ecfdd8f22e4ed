/**
 * What is known about a delivery besides its bytes: schema errors and other details, its event if only the payload names it, its
 * place within the notification, and our response. The writer's thread stores it when the store's thread asks.
 */
import { hash } from 'node:crypto'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import type { describePayload } from '../../shared/service/payload.ts'
import {
  acknowledges,
  ACKNOWLEDGE_TIMEOUT_MS,
  KEPT_RESPONSE_BYTES,
} from '../../shared/service/limits.ts'
import { withTimeLimit } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import { collectAfter, releaseMemory } from '../base/threads/memory.ts'
import { type WritableDb, withRelaxedCommit } from './open.ts'
import { countStored } from './timeline.ts'
import { rowStatement, valuesOf } from './statements.ts'

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

export type DescribePayload = typeof describePayload
type Description = ReturnType<DescribePayload>

/** Facts of a stored delivery that its description depends on. */
export interface Undescribed {
  readonly seq: number
  readonly id: string
  readonly notificationKey: number | null
  readonly bodySha256: string
  readonly hookId: string | null
  readonly verdict: string
  readonly event: string | null
  readonly eventSource: string | null
  readonly malformed: string | null
  readonly truncated: boolean
}

/** The latest delivery of a notification. */
interface Latest extends Pick<Undescribed, 'bodySha256' | 'hookId' | 'verdict'> {
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
  // Takes no lock if there is nothing to write: another process may hold it.
  withRelaxedCommit(db, () => storingResponses(db, db.transaction(responsesOf(db).settle)))
}

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

const NOTHING_SAID: Description = {
  schema: 'unknown',
  events: null,
  details: { amount: null, currency: null, merchant: null, schemaErrors: null },
}

/** Creates the functions that store what a delivery's payload says, and which notification it belongs to. */
function prepareWriting(db: WritableDb) {
  const putDetails = db.prepare(
    `INSERT OR REPLACE INTO details (seq, amount, currency, merchant, schema_errors)
     SELECT seq, ?, ?, ?, ? FROM deliveries WHERE seq = ?`,
  )
  const setSchema = db.prepare('UPDATE deliveries SET schema = ? WHERE seq = ?')
  const setEvent = db.prepare(
    'UPDATE deliveries SET event = ?, event_source = ?, event_candidates = ? WHERE seq = ?',
  )
  const setAttempt = db.prepare(
    'UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ? WHERE seq = ?',
  )
  const readLatest = rowStatement<Latest>(
    db,
    `SELECT body_sha256 AS bodySha256, hook_id AS hookId, verdict, environment, answer_status AS status, answer_ms AS ms
     FROM deliveries WHERE seq = ?`,
  )
  const readNotification = rowStatement<Notification>(
    db,
    'SELECT first_id, last_seq, attempts, acknowledged FROM notifications WHERE key = ?',
  )
  const writeNotification = db.prepare(
    'INSERT OR REPLACE INTO notifications (key, first_id, last_seq, attempts, acknowledged) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    details(seq: number, { details }: Description) {
      putDetails.run(details.amount, details.currency, details.merchant, details.schemaErrors, seq)
    },
    /** The event that the payload names, unless a signature identified one; several are candidates. */
    columns({ seq, eventSource }: Undescribed, { schema, events }: Description) {
      if (schema !== 'unknown') setSchema.run(schema, seq)
      if (eventSource === 'hook' || events === null || events.length === 0) return
      const [only = null] = events.length === 1 ? events : []
      setEvent.run(
        only,
        only === null ? null : 'payload',
        JSON.stringify(only === null ? events : []),
        seq,
      )
    },
    /** Finds the delivery that this one repeats. `lenient`: environments in which any 2xx acknowledges. */
    link(row: Undescribed, lenient: ReadonlySet<string>) {
      const { notificationKey: key, seq } = row
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
  }
}

/** Deliveries described at once: two or three milliseconds of the writer's thread. */
const AT_ONCE = 64
export interface DescribeBatch {
  readonly answers: readonly AnswerRow[]
  /** Environments that treat any 2xx as an acknowledgement, where the spec says 200. */
  readonly lenientEnvironments: readonly string[]
}

export interface Described {
  /** Deliveries that changed. */
  readonly seqs: readonly number[]
  readonly hasMore: boolean
  /** The error of a payload that couldn't be read; the delivery counts as described. */
  readonly bug: string | null
}

type StoredUndescribed = Omit<Undescribed, 'truncated'> & { readonly truncated: number }

/**
 * Describes stored deliveries in the writer's thread, oldest first, after their acknowledgement.
 */
export function prepareEnrichment(db: WritableDb) {
  const setAnswers = prepareAnswers(db)
  const write = prepareWriting(db)
  const setProgress = db.prepare('UPDATE progress SET described_seq = max(described_seq, ?)')
  const describedSeq = valuesOf<number>(db, 'SELECT described_seq FROM progress')
  const readStored = rowStatement<StoredUndescribed>(
    db,
    `SELECT seq, id, notification_key AS notificationKey, body_sha256 AS bodySha256, hook_id AS hookId, verdict, event,
       event_source AS eventSource, malformed, truncated
     FROM deliveries WHERE seq > ? ORDER BY seq LIMIT ?`,
  )
  // With `get`: iterating would keep SQLite's own copy of the bytes until the next row.
  const readBody = valuesOf<Uint8Array>(db, 'SELECT bytes FROM bodies WHERE seq = ?')
  const readBare = rowStatement<StoredUndescribed>(
    db,
    `SELECT seq, event, malformed, truncated FROM deliveries
     WHERE seq <= (SELECT undetailed_seq FROM progress) ORDER BY seq DESC LIMIT ?`,
  )
  const setBare = db.prepare('UPDATE progress SET undetailed_seq = ?')
  /** Whether deliveries without details may be left. */
  let mayBeBare = true
  let bug: string | null = null

  /** What a payload says. A malformed or truncated one says nothing: its bytes aren't a payload. */
  function read(
    { event, malformed, truncated }: Undescribed,
    bytes: Uint8Array,
    describePayload: DescribePayload,
  ): Description {
    if (truncated || malformed !== null) return NOTHING_SAID
    try {
      return describePayload(event, bytes)
    } catch (error) {
      bug = (error as Error).stack ?? (error as Error).message
      return NOTHING_SAID
    } finally {
      const { length } = bytes
      releaseMemory(bytes)
      collectAfter(length)
    }
  }

  /** The row, and its bytes as they are needed: together those of a batch can be gigabytes. */
  function storedOf(stored: StoredUndescribed) {
    return {
      row: { ...stored, truncated: stored.truncated === 1 },
      bytes: () => readBody.get(stored.seq) ?? new Uint8Array(),
    }
  }

  /** Adds details to the newest deliveries that a repair left without them. Returns their seqs. */
  function addDetails(describePayload: DescribePayload): number[] {
    const bare = readBare.all(AT_ONCE).map(storedOf)
    for (const { row, bytes } of bare) write.details(row.seq, read(row, bytes(), describePayload))
    const last = bare.at(-1)
    if (last !== undefined) setBare.run(last.row.seq - 1)
    return bare.map(({ row }) => row.seq)
  }

  const describe = db.transaction(
    (batch: DescribeBatch, describePayload: DescribePayload): Omit<Described, 'bug'> => {
      const lenient = new Set(batch.lenientEnvironments)
      setAnswers(batch.answers)
      const described = readStored.all(describedSeq.get() ?? 0, AT_ONCE).map(storedOf)
      for (const { row, bytes } of described) {
        const description = read(row, bytes(), describePayload)
        write.details(row.seq, description)
        write.columns(row, description)
        write.link(row, lenient)
      }
      const last = described.at(-1)?.row.seq
      if (last !== undefined) setProgress.run(last)
      const isUncounted = countStored(db, last ?? describedSeq.get() ?? 0)
      const bare = mayBeBare && described.length === 0 ? addDetails(describePayload) : []
      if (described.length === 0) mayBeBare = bare.length > 0
      return {
        seqs: [
          ...described.map(({ row }) => row.seq),
          ...bare,
          ...batch.answers.map(({ seq }) => seq),
        ],
        hasMore: described.length === AT_ONCE || isUncounted || mayBeBare,
      }
    },
  )

  return {
    /** Describes and counts stored deliveries, and stores responses, in one transaction that doesn't wait for the disk. */
    describe(batch: DescribeBatch, describePayload: DescribePayload): Described {
      const described = withRelaxedCommit(db, () =>
        storingResponses(db, () => describe.immediate(batch, describePayload)),
      )
      const found = bug
      bug = null
      return { ...described, bug: found }
    },
  }
}

// In the store's thread: what follows an acknowledgement. The delivery is described and our response stored, a few milliseconds
// later.

interface FollowUpDeps {
  /** Describes stored deliveries, and stores responses. */
  describe(answers: readonly AnswerRow[]): Promise<Described>
  /** Receives the seqs of deliveries that changed. */
  onDescribed(seqs: readonly number[]): void
  /** Whether deliveries wait for their commit. */
  isBusy(): boolean
  readonly log: Log
}

/** Deliveries that arrive together are described together. */
const GATHER_MS = 5
/** While deliveries wait for their commit, describing takes the writer's thread for one part of this many. */
const BUSY_SHARE = 10
/** How often to retry what failed (a full disk). */
const RETRY_MS = 1_000
/** How long closing describes the rest: the next start continues. */
const CLOSE_PATIENCE_MS = 3_000

export function createFollowUp({ describe, onDescribed, isBusy, log }: FollowUpDeps) {
  let hasMore = false
  let answers: AnswerRow[] = []
  let failing = false
  let tookMs = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let closed = false

  const isWaiting = () => hasMore || answers.length > 0
  const pauseMs = () =>
    failing ? RETRY_MS : Math.max(GATHER_MS, isBusy() ? (BUSY_SHARE - 1) * tookMs : 0)

  function schedule(): void {
    if (closed || running !== null || !isWaiting()) return
    timer ??= setTimeout(() => void run(), pauseMs())
  }

  async function piece(): Promise<void> {
    const begunAt = systemClock.monotonic()
    const sent = answers
    answers = []
    hasMore = false
    try {
      const described = await describe(sent)
      failing = false
      hasMore ||= described.hasMore
      if (described.bug !== null) log.bug(new Error(described.bug), 'describing a delivery')
      if (described.seqs.length > 0) onDescribed(described.seqs)
    } catch (error) {
      answers = [...sent, ...answers]
      hasMore = true
      if (!failing)
        log.warn("Deliveries can't be described for now.", { reason: (error as Error).message })
      failing = true
    }
    tookMs = systemClock.monotonic() - begunAt
  }

  function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= piece().finally(() => {
      running = null
      schedule()
    })
    return running
  }

  /** Describes everything that waits, unless that fails or takes longer than `patienceMs`. */
  async function finish(patienceMs: number): Promise<void> {
    const until = systemClock.monotonic() + patienceMs
    await running
    while (isWaiting() && systemClock.monotonic() < until) {
      await run()
      if (hasFailed()) return
    }
  }
  const hasFailed = () => failing

  return {
    /** Deliveries were stored, now or by a process that ended. */
    stored() {
      hasMore = true
      schedule()
    },
    answered(answer: AnswerRow) {
      answers.push(answer)
      schedule()
    },
    /** Resolves when everything so far is described, or after `patienceMs`; immediately if nothing can be stored now. */
    async settled(patienceMs: number) {
      if (!failing) await withTimeLimit(patienceMs, finish(patienceMs), () => undefined)
    },
    /** Describes what it can within a while, then stops. The next start continues; our responses are known only here. */
    async close() {
      closed = true
      clearTimeout(timer)
      await finish(CLOSE_PATIENCE_MS)
    },
  }
}
