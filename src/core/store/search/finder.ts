/**
 * Finds the deliveries of a query, newest or oldest first, in pieces: indexed deliveries by the index, the rest one by one. Every
 * call ends within its budget and returns where to continue, so that no query can block a thread.
 */
import { splitListed, type Query } from '../../../shared/query/query.ts'
import { systemClock } from '../../base/system-clock.ts'
import { rowsText } from '../deliveries-repo.ts'
import type { ReadableDb } from '../open.ts'
import { costOf, whereOf } from '../query-sql.ts'
import { rowStatement, valuesOf } from '../statements.ts'
import { BLOCK_SEQS, indexedSeq } from './open-search.ts'
import { narrowerOf, searchPlan, type Plan } from './plan.ts'

export interface FindInput {
  readonly query: Query
  /** The range of seqs, inclusive; by default from the newest to the first, or the reverse if the oldest come first. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Ends when this many are found. */
  readonly limit?: number | undefined
  /** Examines deliveries for prefixes of one or two letters: a page of these is among the newest, and the index takes long. */
  readonly plainly?: boolean
  readonly budgetMs: number
}

export interface FoundSeqs {
  /** In the order asked for. */
  readonly seqs: number[]
  /** Where to continue; null if the whole range was examined. */
  readonly next: number | null
  /** The largest stored seq at that moment. */
  readonly newest: number
}

/** Seqs per statement, before its speed is known. */
const FIRST_STEP = 128
/** Rows of a narrower table that take about as long as one use of the index. */
const FEW = 500
const SHORT_MS = 4
const LONG_MS = 16

/** From the newest of its seqs down to the oldest, in either direction of a search. */
interface Range {
  readonly from: number
  readonly to: number
}

/** The part of an indexed range in which deliveries can match the query's times. */
function within(
  db: ReadableDb,
  range: Range,
  { since, until }: Pick<Plan, 'since' | 'until'>,
): Range | null {
  if (since === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY) return range
  const found = rowStatement<{ least: number | null; most: number | null }>(
    db,
    `SELECT min(number) AS least, max(number) AS most FROM search.blocks
     WHERE number BETWEEN ? AND ? AND most_at >= ? AND least_at <= ?`,
  ).get(Math.floor(range.to / BLOCK_SEQS), Math.floor(range.from / BLOCK_SEQS), since, until)
  if (found === undefined || found.least === null || found.most === null) return null
  const to = Math.max(range.to, found.least * BLOCK_SEQS)
  const from = Math.min(range.from, (found.most + 1) * BLOCK_SEQS - 1)
  return from < to ? null : { from, to }
}

export function find(db: ReadableDb, input: FindInput): FoundSeqs {
  // One transaction: a delivery indexed between two statements must be in exactly one of their results.
  return db.transaction(() => findNow(db, input))()
}

/** The result of `find`, and its rows, unless the search has to continue. */
interface FoundPage extends FoundSeqs {
  /** JSON, in the order asked for; null if the page isn't full and there is more to examine. */
  readonly rows: string | null
}

export function findPage(db: ReadableDb, input: FindInput & { readonly limit: number }): FoundPage {
  return db.transaction(() => {
    const found = findNow(db, input)
    const isDone = found.next === null || found.seqs.length >= input.limit
    return { ...found, rows: isDone ? rowsText(db, found.seqs) : null }
  })()
}

function findNow(db: ReadableDb, input: FindInput): FoundSeqs {
  const { query, hidesFlows } = splitListed(input.query)
  const deadline = systemClock.monotonic() + input.budgetMs
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  const up = input.oldestFirst === true
  const direction = up ? 'ASC' : 'DESC'
  const high = Math.min((up ? input.to : input.from) ?? newest, newest)
  const low = up
    ? Math.max(
        input.from ?? 0,
        valuesOf<number | null>(db, 'SELECT min(seq) FROM deliveries').get() ?? 0,
      )
    : Math.max(input.to ?? 0, 0)
  const indexed = indexedSeq(db)
  const whole = whereOf(query)
  const seqs: number[] = []
  // Deleted deliveries are hidden until they are removed. Usually no delivery is hidden, and no condition is needed.
  const hiding = ['deleted', ...(hidesFlows ? ['flow_deliveries'] : [])].filter(
    (table) => valuesOf<number>(db, `SELECT EXISTS (SELECT 1 FROM main.${table})`).get() === 1,
  )
  const notHidden = (seq: string) =>
    hiding.map((table) => ` AND ${seq} NOT IN (SELECT seq FROM main.${table})`).join('')
  const isFull = () => input.limit !== undefined && seqs.length >= input.limit
  const left = () => (input.limit === undefined ? -1 : input.limit - seqs.length)
  /** Even without any time left, the first step is made: calls that repeat with a budget that is too small would never end. */
  let hasStepped = false
  const isOver = () => hasStepped && systemClock.monotonic() >= deadline
  /** The start of a range, and the next seq in it; null at the end. */
  const firstOf = ({ from, to }: Range) => (from < to ? null : up ? to : from)
  const after = ({ from, to }: Range, seq: number) =>
    up ? (seq < from ? seq + 1 : null) : seq > to ? seq - 1 : null

  const narrower = narrowerOf(query)
  /** Whether the narrower table has so few rows in a range that examining each is faster than the index. */
  const hasFew = ({ from, to }: Range): boolean =>
    narrower !== null &&
    (valuesOf<number>(
      db,
      `SELECT count(*) FROM (SELECT 1 FROM ${narrower.from} WHERE ${narrower.only} AND driven.seq BETWEEN ? AND ? LIMIT ${FEW})`,
    ).get(to, from) ?? 0) < FEW

  /** Examines each delivery of a range, step by step. Returns where to continue, or null at the end. */
  function scan(range: Range): number | null {
    const [source, seq] =
      narrower === null
        ? ['deliveries d WHERE true', 'd.seq']
        : [
            `${narrower.from} CROSS JOIN deliveries d ON d.seq = driven.seq WHERE ${narrower.only}`,
            'driven.seq',
          ]
    const prepared = valuesOf<number>(
      db,
      `SELECT d.seq FROM ${source} AND ${whole.sql}${notHidden('d.seq')} AND ${seq} BETWEEN ? AND ? ORDER BY ${seq} ${direction} LIMIT ?`,
    )
    let step = FIRST_STEP
    let next = firstOf(range)
    while (next !== null) {
      if (isFull() || isOver()) return next
      const end = up ? Math.min(range.from, next + step - 1) : Math.max(range.to, next - step + 1)
      const startedAt = systemClock.monotonic()
      const limit = left()
      const found = prepared.all(...whole.values, Math.min(next, end), Math.max(next, end), limit)
      hasStepped = true
      for (const one of found) seqs.push(one)
      // A full page ends within the step: the rest of the step is still to do.
      if (limit >= 0 && found.length === limit) return after(range, found.at(-1)!)
      const took = systemClock.monotonic() - startedAt
      if (took < SHORT_MS) step *= 2
      else if (took > LONG_MS) step = Math.max(16, Math.ceil(step / 2))
      next = after(range, end)
    }
    return null
  }

  /** The same with the index, candidate by candidate. */
  function search(range: Range): number | null {
    const start = firstOf(range)
    if (start === null || indexed === 0) return null
    if (isFull() || isOver()) return start
    const { match, rest, ...times } = searchPlan(db, query, input.plainly === true)
    if (match === null) return null
    const bounded = within(db, range, times)
    if (bounded === null) return null
    if (match === undefined || (narrower !== null && costOf(query) < 2) || hasFew(bounded))
      return scan(bounded)
    const { sql, values } = rest === undefined ? { sql: '1', values: [] } : whereOf(rest)
    // SQLite's full-text search takes bounds only as integers; numbers are bound as floats.
    const candidates = rowStatement<{ seq: number; fits: number }>(
      db,
      `SELECT w.rowid AS seq, ${sql} AS fits FROM search.words w ${rest === undefined ? '' : 'CROSS JOIN deliveries d ON d.seq = w.rowid'}
       WHERE w.words MATCH ?${notHidden('w.rowid')} AND w.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) ORDER BY w.rowid ${direction}`,
    )
    const startedAt = systemClock.monotonic()
    let until: number | null = null
    for (const { seq, fits } of candidates.iterate(...values, match, bounded.to, bounded.from)) {
      const now = systemClock.monotonic()
      // Before the first candidate, the index gathers the words of a prefix, and does so for every piece: it gets as long again.
      until ??= Math.max(deadline, now + (now - startedAt))
      hasStepped = true
      if (fits === 1) seqs.push(seq)
      if (isFull() || now >= until) return after(bounded, seq)
    }
    return null
  }

  const parts = [
    () => scan({ from: high, to: Math.max(low, indexed + 1) }),
    () => search({ from: Math.min(high, indexed), to: low }),
  ]
  for (const examine of up ? parts.reverse() : parts) {
    const next = examine()
    if (next !== null) return { seqs, next, newest }
  }
  return { seqs, next: null, newest }
}

export interface AnchorsInput {
  readonly query: Query
  readonly pageSize: number
  /** Where to continue; by default from the newest, or from the oldest. */
  readonly from?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Rows that the last page already has. */
  readonly skip: number
  readonly budgetMs: number
}

export interface SearchAnchors {
  /** Deliveries found by this call. */
  readonly total: number
  /** The seq at the start of each page, in the order asked for. */
  readonly anchors: number[]
  /** Where to continue; null at the end. */
  readonly next: number | null
  /** The largest stored seq at that moment. */
  readonly newest: number
}

/** How many deliveries a query finds, and where each page starts: this makes lists of any length reachable. */
export function anchorsOf(
  db: ReadableDb,
  { query, pageSize, from, skip, oldestFirst, budgetMs }: AnchorsInput,
): SearchAnchors {
  const { seqs, next, newest } = find(db, { query, from, oldestFirst, budgetMs })
  const anchors: number[] = []
  for (
    let index = (pageSize - (skip % pageSize)) % pageSize;
    index < seqs.length;
    index += pageSize
  )
    anchors.push(seqs[index]!)
  return { total: seqs.length, anchors, next, newest }
}
