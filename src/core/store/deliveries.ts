/** Reads deliveries; paging uses the key (`seq`), newest first. */
import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery, DeliveryRow, SortKey } from '../../shared/model/delivery.ts'
import { isShortId, readLatest } from '../../shared/model/delivery-ref.ts'
import { NOT_OF_FLOWS, type Query } from '../../shared/query/query.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import {
  ALL_COLUMNS,
  ROW_COLUMNS,
  ROW_SOURCE,
  toDelivery,
  toRow,
  type StoredDelivery,
  type StoredRow,
} from './delivery-columns.ts'
import { releaseMemory } from '../base/threads/memory.ts'
import type { ReadableDb } from './open.ts'
import { whereOf } from './query-sql.ts'
import { readRow, readRows } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** Deleted deliveries are invisible to every reader immediately. */
const IS_KEPT = 'd.seq NOT IN (SELECT seq FROM deleted)'
/** Condition of the deliveries that lists show without a query. `latest` counts only these. */
const IS_LISTED = `${IS_KEPT} AND ${whereOf(NOT_OF_FLOWS).sql}`

/** Which of some deliveries match a query: to mark rows that are shown anyway. */
export function matchingSeqs(
  db: ReadableDb,
  { query, seqs }: { readonly query: Query; readonly seqs: readonly number[] },
): number[] {
  const { sql, values } = whereOf(query)
  return valuesOf<number>(
    db,
    `SELECT d.seq FROM deliveries d WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT} AND ${sql}`,
  ).all(JSON.stringify(seqs), ...values)
}

/** How many deliveries up to a seq are stored and not deleted. */
export function countUpTo(db: ReadableDb, seq: number): number {
  // The sign keeps SQLite from scanning the deliveries themselves: an index gives the same number much faster.
  return (
    valuesOf<number>(
      db,
      'SELECT (SELECT count(*) FROM deliveries WHERE +seq <= @seq) - (SELECT count(*) FROM deleted WHERE seq <= @seq AND seq IN (SELECT seq FROM deliveries))',
    ).get({ seq }) ?? 0
  )
}

/** The largest seq ever assigned, as far as known; 0 if there was none. Seqs of deleted deliveries aren't reused. */
export function newestSeq(db: ReadableDb): number {
  return (
    valuesOf<number>(
      db,
      'SELECT max(coalesce((SELECT max(seq) FROM deliveries), 0), (SELECT described_seq FROM progress))',
    ).get() ?? 0
  )
}

/** Rows by seq, newest first; deleted ones are left out. */
export function rowsBySeq(db: ReadableDb, seqs: readonly number[]): DeliveryRow[] {
  return readRows(
    rowStatement<StoredRow>(
      db,
      `SELECT ${ROW_COLUMNS} FROM ${ROW_SOURCE} WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT} ORDER BY d.seq DESC`,
    ).all(JSON.stringify(seqs)),
    toRow,
  )
}

/** The same as a JSON array, in the direction of the seqs: text passes between threads almost for free, rows don't. */
export function rowsText(db: ReadableDb, seqs: readonly number[]): string {
  const rows = rowsBySeq(db, seqs)
  const isUp = (seqs[0] ?? 0) < (seqs.at(-1) ?? 0)
  return JSON.stringify(isUp ? rows.reverse() : rows)
}

/** The values to sort by, most important first; the first one is null if there is none. */
const SORT_VALUES: Readonly<Record<SortKey, readonly string[]>> = {
  time: ['d.received_at'],
  verdict: ['d.verdict', 'd.freshness'],
  event: ['d.event'],
  // Without a currency, amounts are sorted too.
  amount: ["iif(t.amount IS NULL, NULL, coalesce(t.currency, ''))", 'CAST(t.amount AS REAL)'],
  merchant: ['lower(t.merchant)', 't.merchant'],
  path: ['d.path'],
  size: ['d.body_size'],
  source: [
    "CASE WHEN d.origin = 'imported' THEN 'imported' WHEN f.flow IS NOT NULL THEN 'flow' END",
    'f.flow',
  ],
  responded: ['d.answer_status', 'd.answer_ms'],
  handler: ['s.status', 's.ms'],
  'schema-errors': ['t.schema_errors'],
}

/** Whether any stored delivery was imported: its seq then doesn't follow from the time at which it was received. */
export function hasImported(db: ReadableDb): boolean {
  return (
    valuesOf<number>(
      db,
      "SELECT EXISTS (SELECT 1 FROM deliveries WHERE origin = 'imported')",
    ).get() === 1
  )
}

/** The same seqs in the order of a column. */
export function sortSeqs(
  db: ReadableDb,
  {
    seqs,
    by,
    descending,
  }: { readonly seqs: readonly number[]; readonly by: SortKey; readonly descending: boolean },
): number[] {
  const direction = descending ? 'DESC' : 'ASC'
  return valuesOf<number>(
    db,
    `SELECT d.seq FROM ${ROW_SOURCE} WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT}
       ORDER BY ${SORT_VALUES[by].map((value) => `${value} ${direction} NULLS LAST`).join(', ')}, d.seq DESC`,
  ).all(JSON.stringify(seqs))
}

/** Deliveries by seq, newest first; deleted ones are left out. */
export function deliveriesBySeq(db: ReadableDb, seqs: readonly number[]): Delivery[] {
  return readRows(
    rowStatement<StoredDelivery>(
      db,
      `SELECT ${ALL_COLUMNS} FROM ${ROW_SOURCE} WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT} ORDER BY d.seq DESC`,
    ).all(JSON.stringify(seqs)),
    toDelivery,
  )
}

/**
 * The previous (`by` -1) or next delivery of the same hook and event, or of the same path and event if no hook matched; null if
 * there is none. Malformed requests are left out.
 */
export function neighbourOf(
  db: ReadableDb,
  { ref, by }: { readonly ref: string; readonly by: 1 | -1 },
): DeliveryRow | null {
  const { seq, event, hookId, path, malformed } = getDelivery(db, ref)
  if (malformed !== null) return null
  const [side, order] = by < 0 ? ['<', 'DESC'] : ['>', 'ASC']
  const found = rowStatement<StoredRow>(
    db,
    `SELECT ${ROW_COLUMNS} FROM ${ROW_SOURCE} WHERE d.event IS @event AND d.hook_id IS @hookId
       AND (@hookId IS NOT NULL OR d.path IS @path) AND d.malformed IS NULL AND ${IS_KEPT} AND d.seq ${side} @seq
       ORDER BY d.seq ${order} LIMIT 1`,
  ).get({ seq, event, hookId, path })
  return found === undefined ? null : readRow(`Delivery ${found.id}`, found, toRow)
}

/** How many matching ids an ambiguous short id lists. */
const MATCHES_NAMED = 5

/** The full id for a short one, which starts or ends with it. Throws `NOT_FOUND` if several match; null if none does. */
function wholeId(db: ReadableDb, short: string): string | null {
  if (!isShortId(short)) return null
  const text = short.toLowerCase()
  // A prefix uses the index; a suffix scans all ids.
  const matches = valuesOf<string>(
    db,
    `SELECT id FROM (
         SELECT d.id FROM deliveries d WHERE d.id >= @text AND d.id < @text || 'g' AND ${IS_KEPT}
         UNION SELECT d.id FROM deliveries d WHERE substr(d.id, -length(@text)) = @text AND ${IS_KEPT}
       ) LIMIT @most`,
  ).all({ text, most: MATCHES_NAMED + 1 })
  return onlyMatch(matches, short, 'deliveries')
}

/** The only id that a short one matches; null if there is none. Throws `NOT_FOUND` if there are several, and names the first. */
export function onlyMatch(matches: readonly string[], short: string, what: string): string | null {
  if (matches.length < 2) return matches[0] ?? null
  const named = matches.slice(0, MATCHES_NAMED).join(', ')
  throw new AppError(
    'NOT_FOUND',
    `${short} matches several ${what}: ${named}${matches.length > MATCHES_NAMED ? ', …' : ''}. Type more characters of the ID.`,
    { details: { matches } },
  )
}

/** The newest deliveries that have an event or may have it; each half uses the event index separately. */
function latestOfEvent(
  db: ReadableDb,
  {
    event,
    limit,
    identified,
  }: { readonly event: string; readonly limit: number; readonly identified: boolean },
): number[] {
  const halves = [
    whereOf({ kind: 'text', field: 'event', pattern: [event] }),
    ...(identified ? [] : [whereOf({ kind: 'possible-event', pattern: [event] })]),
  ]
  return valuesOf<number>(
    db,
    `${halves.map(({ sql }) => `SELECT * FROM (SELECT d.seq FROM deliveries d WHERE ${sql} AND ${IS_LISTED} ORDER BY d.seq DESC LIMIT ?)`).join(' UNION ALL ')}
       ORDER BY 1 DESC LIMIT ?`,
  ).all(...halves.flatMap(({ values }) => [...values, limit]), limit)
}

/** The error of a reference that names no delivery. */
function notFound(db: ReadableDb, ref: string, event: string | null | undefined): AppError {
  const error = (sentences: string) => new AppError('NOT_FOUND', sentences)
  const list = 'List stored deliveries with "countersign deliveries".'
  if (event === undefined) return error(`Delivery ${ref} not found. ${list}`)
  const isHidden = valuesOf<number>(
    db,
    `SELECT EXISTS (SELECT 1 FROM flow_deliveries JOIN deliveries d USING (seq) WHERE ${IS_KEPT} AND (@event IS NULL OR d.event = @event))`,
  ).get({ event })
  const what = event === null ? 'deliveries' : `${event} deliveries`
  if (isHidden === 1)
    return error(
      `No ${what} yet, except from flow runs. List those with "countersign deliveries is:flow".`,
    )
  if (ref.includes('~')) return error(`Too few ${what} for ${ref}. ${list}`)
  if (event !== null && !isShownEventType(event))
    return error(`No ${what} yet, and the spec doesn't list this event. ${list}`)
  return error(
    `No ${what} yet. Send one with "countersign trigger ${event ?? 'transaction.auth'}".`,
  )
}

/**
 * One delivery by id, by 8 or more characters at the start or end of one id, or by `latest`, `latest:EVENT` or `latest~N`; possible
 * events count as `EVENT` unless it must be `identified`. Throws `NOT_FOUND` if none or several match.
 */
export function getDelivery(db: ReadableDb, ref: string, { identified = false } = {}): Delivery {
  const select = (rest: string, ...values: (string | number)[]) =>
    rowStatement<StoredDelivery>(db, `SELECT ${ALL_COLUMNS} FROM ${ROW_SOURCE} WHERE ${rest}`).get(
      ...values,
    )
  const latest = readLatest(ref)
  let found: StoredDelivery | undefined
  if (latest === null) {
    const byId = `${IS_KEPT} AND d.id = ?`
    found = select(byId, ref)
    const id = found === undefined ? wholeId(db, ref) : null
    if (id !== null) found = select(byId, id)
  } else if (latest.event === null)
    found = select(`${IS_LISTED} ORDER BY d.seq DESC LIMIT 1 OFFSET ?`, latest.before)
  else {
    const seqs = latestOfEvent(db, { event: latest.event, limit: latest.before + 1, identified })
    const seq = seqs[latest.before]
    if (seq !== undefined) found = select('d.seq = ?', seq)
  }
  if (found === undefined) throw notFound(db, ref, latest?.event)
  return readRow(`Delivery ${found.id}`, found, toDelivery)
}

/** A delivery's stored bytes or a piece of them, and their total number. */
export function readStoredBody(
  db: ReadableDb,
  {
    seq,
    offset = 0,
    length = Number.MAX_SAFE_INTEGER,
  }: { seq: number; offset?: number; length?: number },
): { bytes: Uint8Array; size: number } {
  const found = rowStatement<{ bytes: Buffer | null; size: number }>(
    db,
    'SELECT substr(bytes, ? + 1, ?) AS bytes, length(bytes) AS size FROM bodies WHERE seq = ?',
  ).get(offset, length, seq)
  // SQLite returns NULL for a piece of nothing.
  return { bytes: found?.bytes ?? new Uint8Array(), size: found?.size ?? 0 }
}

/** Truncated and imported bodies can't be compared with their hash. */
const BODY_SOURCE = `deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
const IS_COMPARABLE = `d.truncated = 0 AND coalesce(d.remote, '') NOT LIKE 'imported:%'`

interface DamagedBody {
  readonly seq: number
  readonly id: string
  /** Bytes that arrived. */
  readonly size: number
}

/** Deliveries whose stored bytes are missing or differ from the hash of those that arrived. */
export function* damagedBodies(db: Database): Generator<DamagedBody> {
  const rows = rowStatement<
    DamagedBody & {
      readonly sha256: string
      readonly isComparable: number
      readonly bytes: Buffer | null
    }
  >(
    db,
    `SELECT d.seq, d.id, d.body_size AS size, d.body_sha256 AS sha256, b.bytes, ${IS_COMPARABLE} AS isComparable FROM ${BODY_SOURCE}`,
  )
  for (const { bytes, sha256, isComparable, ...body } of rows.iterate())
    if (bytes === null || (isComparable === 1 && hash('sha256', bytes, 'hex') !== sha256))
      yield body
}

export function isBodyAltered(db: ReadableDb, seq: number): boolean {
  const found = rowStatement<{ readonly sha256: string; readonly bytes: Buffer | null }>(
    db,
    `SELECT d.body_sha256 AS sha256, b.bytes FROM ${BODY_SOURCE} WHERE d.seq = ? AND ${IS_COMPARABLE}`,
  ).get(seq)
  if (found === undefined || found.bytes === null) return false
  const isAltered = hash('sha256', found.bytes, 'hex') !== found.sha256
  releaseMemory(found.bytes)
  return isAltered
}

/** The deliveries of one notification, oldest first: the first one, if it still exists, its further attempts and duplicates. */
export function attemptsOf(db: ReadableDb, ref: string): DeliveryRow[] {
  const one = getDelivery(db, ref)
  const first = one.attemptOf ?? one.duplicateOf ?? one.id
  // Ids sort by time: if the first one is deleted, the next id shows where its repeats start. The notification knows its latest
  // delivery, so the scan ends there.
  return readRows(
    rowStatement<StoredRow>(
      db,
      `SELECT ${ROW_COLUMNS} FROM ${ROW_SOURCE}
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1)
         AND d.seq <= coalesce((SELECT max(n.last_seq, @seq) FROM notifications n JOIN deliveries f ON n.key = f.notification_key WHERE f.seq = @seq), @seq)
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND ${IS_KEPT}
       ORDER BY d.seq LIMIT 200`,
    ).all({ first, seq: one.seq }),
    toRow,
  )
}

/** Whether every stored delivery is described: a process that ended may have left some. */
export function isDescribed(db: ReadableDb): boolean {
  return (
    valuesOf<number>(
      db,
      'SELECT EXISTS (SELECT 1 FROM deliveries WHERE seq > (SELECT described_seq FROM progress))',
    ).get() === 0
  )
}
