/** Finds the delivery that a reference names. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { isShortId, parseLatestRef, parseNameRef } from '../../shared/model/delivery-ref.ts'
import { LISTED } from '../../shared/query/unlisted.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import { ALL_COLUMNS, ROW_SOURCE, toDelivery, type StoredDelivery } from './delivery-columns.ts'
import { whereOf } from './query-sql.ts'
import { readRow } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

export const IS_KEPT = 'd.seq NOT IN (SELECT seq FROM deleted)'
/** Condition of deliveries that lists show without a query. */
const IS_LISTED = `${IS_KEPT} AND ${whereOf(LISTED).sql}`

/** Returns the seq of the request with a name, or null. */
export function findNamed(db: ReadableDb, name: string): number | null {
  const seq = columnStatement<number>(
    db,
    'SELECT seq FROM composed WHERE name = ? AND seq NOT IN (SELECT seq FROM deleted)',
  ).get(name)
  return seq ?? null
}

/** Returns the named requests, by name. */
export function listNamed(db: ReadableDb): Delivery[] {
  return rowStatement<StoredDelivery>(
    db,
    `SELECT ${ALL_COLUMNS} FROM ${ROW_SOURCE} WHERE q.name IS NOT NULL AND ${IS_KEPT} ORDER BY q.name`,
  )
    .all()
    .map((row) => readRow(`Delivery ${row.id}`, row, toDelivery))
}

const MAX_NAMED_MATCHES = 5

/** Returns the full id of a short one, or null. Throws `NOT_FOUND` if it is ambiguous. */
function wholeId(db: ReadableDb, short: string): string | null {
  if (!isShortId(short)) return null
  const text = short.toLowerCase()
  const matches = columnStatement<string>(
    db,
    `SELECT id FROM (
         SELECT d.id FROM deliveries d WHERE d.id >= @text AND d.id < @text || 'g' AND ${IS_KEPT}
         UNION SELECT d.id FROM deliveries d WHERE substr(d.id, -length(@text)) = @text AND ${IS_KEPT}
       ) LIMIT @most`,
  ).all({ text, most: MAX_NAMED_MATCHES + 1 })
  return onlyMatch(matches, short, 'deliveries')
}

/** Returns the only match or null. Throws `NOT_FOUND` if there are several `what` (a plural). */
export function onlyMatch(matches: readonly string[], short: string, what: string): string | null {
  if (matches.length < 2) return matches[0] ?? null
  const named = matches.slice(0, MAX_NAMED_MATCHES).join(', ')
  throw new AppError(
    'NOT_FOUND',
    `${short} matches several ${what}: ${named}${matches.length > MAX_NAMED_MATCHES ? ', …' : ''}. Type more characters of the ID.`,
    { details: { matches } },
  )
}

/** Finds seqs of an event's newest deliveries; each of two queries uses an index. */
function latestOfEvent(
  db: ReadableDb,
  {
    event,
    limit,
    identified,
  }: { readonly event: string; readonly limit: number; readonly identified: boolean },
): number[] {
  const conditions = [
    whereOf({ kind: 'text', field: 'event', pattern: [event] }),
    ...(identified ? [] : [whereOf({ kind: 'possible-event', pattern: [event] })]),
  ]
  return columnStatement<number>(
    db,
    `${conditions.map(({ sql }) => `SELECT * FROM (SELECT d.seq FROM deliveries d WHERE ${sql} AND ${IS_LISTED} ORDER BY d.seq DESC LIMIT ?)`).join(' UNION ALL ')}
       ORDER BY 1 DESC LIMIT ?`,
  ).all(...conditions.flatMap(({ values }) => [...values, limit]), limit)
}

function notFound(db: ReadableDb, ref: string, event: string | null | undefined): AppError {
  const error = (sentences: string) => new AppError('NOT_FOUND', sentences)
  const list = 'List stored deliveries with "countersign deliveries".'
  if (event === undefined) return error(`Delivery ${ref} not found. ${list}`)
  const isHidden = columnStatement<number>(
    db,
    `SELECT EXISTS (SELECT 1 FROM flow_deliveries JOIN deliveries d USING (seq) WHERE ${IS_KEPT} AND (@event IS NULL OR d.event = @event))`,
  ).get({ event })
  const noun = event === null ? 'deliveries' : `${event} deliveries`
  if (isHidden === 1)
    return error(
      `No ${noun} yet, except from flow runs. List those with "countersign deliveries is:flow".`,
    )
  if (ref.includes('~')) return error(`Too few ${noun} for ${ref}. ${list}`)
  if (event !== null && !isShownEventType(event))
    return error(`No ${noun} yet, and the spec doesn't list this event. ${list}`)
  return error(
    `No ${noun} yet. Send one with "countersign trigger ${event ?? 'transaction.auth'}".`,
  )
}

/**
 * Finds a delivery by a part of its id, `latest`, `latest:EVENT`, `latest~N` or `name:NAME`. Throws
 * `NOT_FOUND`. With `identified`, deliveries whose event is only possible don't count.
 */
export function getDelivery(db: ReadableDb, ref: string, { identified = false } = {}): Delivery {
  const select = (rest: string, ...values: (string | number)[]) =>
    rowStatement<StoredDelivery>(db, `SELECT ${ALL_COLUMNS} FROM ${ROW_SOURCE} WHERE ${rest}`).get(
      ...values,
    )
  const latest = parseLatestRef(ref)
  const name = parseNameRef(ref)
  let row: StoredDelivery | undefined
  if (name !== null) {
    const seq = findNamed(db, name)
    if (seq === null)
      throw new AppError(
        'NOT_FOUND',
        `No request is named "${name}". List named requests with "countersign send --list".`,
      )
    row = select('d.seq = ?', seq)
  } else if (latest === null) {
    const byId = `${IS_KEPT} AND d.id = ?`
    row = select(byId, ref)
    const id = row === undefined ? wholeId(db, ref) : null
    if (id !== null) row = select(byId, id)
  } else if (latest.event === null)
    row = select(`${IS_LISTED} ORDER BY d.seq DESC LIMIT 1 OFFSET ?`, latest.before)
  else {
    const seqs = latestOfEvent(db, { event: latest.event, limit: latest.before + 1, identified })
    const seq = seqs[latest.before]
    if (seq !== undefined) row = select('d.seq = ?', seq)
  }
  if (row === undefined) throw notFound(db, ref, latest?.event)
  return readRow(`Delivery ${row.id}`, row, toDelivery)
}
