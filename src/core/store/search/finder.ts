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
import { hasSearch, BLOCK_SEQS, PARTITION_SEQS, partitionOf, wordsTable } from './open-search.ts'
import { narrowerOf, searchPlan, shortestBegun, type Plan } from './plan.ts'

export interface FindInput {
  readonly query: Query
  /** The range of seqs, inclusive; by default from the newest to the first, or the reverse if the oldest come first. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Ends when this many are found. */
  readonly limit?: number | undefined
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
const FIRST_STEP = 1_024
/**
 * Nearly every delivery has a word that starts with a given letter or two: a page is found faster by examining the newest
 * deliveries than by the index, which first gathers such words. If not, the index continues. The time depends on the number of
 * letters: in a whole partition the index takes up to 150 ms for one, and 11 ms for two.
 */
const PLAINLY_MS: Readonly<Record<number, number>> = { 1: 12, 2: 5 }
const FIRST_PLAIN_STEP = 64
/** Rows of a narrower table that take about as long as one use of the index. */
const FEW = 500
const SHORT_MS = 4
const LONG_MS = 16

/** From the newest of its seqs down to the oldest, in either direction of a search. */
interface Range {
  readonly from: number
  readonly to: number
}

/** How far each partition is indexed, by its number; empty without an index. */
export function marksOf(db: ReadableDb): Map<number, number> {
  if (!hasSearch(db)) return new Map()
  const rows = rowStatement<{ number: number; mark: number }>(
    db,
    'SELECT number, mark FROM search.partitions',
  ).all()
  return new Map(rows.map(({ number, mark }) => [number, mark]))
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
  return db.transaction(() => findNow(db, input, null))()
}

/** The result of `find`, and its rows, unless the search has to continue. */
interface FoundPage extends FoundSeqs {
  /** JSON, in the order asked for; null if the page isn't full and there is more to examine. */
  readonly rows: string | null
}

export function findPage(db: ReadableDb, input: FindInput & { readonly limit: number }): FoundPage {
  return db.transaction(() => {
    const found = findNow(db, input, shortestBegun(input.query))
    const isDone = found.next === null || found.seqs.length >= input.limit
    return { ...found, rows: isDone ? rowsText(db, found.seqs) : null }
  })()
}

/** `letters`: the length of the shortest prefix, if the newest deliveries are examined for such words first. */
function findNow(db: ReadableDb, input: FindInput, letters: number | null): FoundSeqs {
  const { query, hidesFlows } = splitListed(input.query)
  const deadline = systemClock.monotonic() + input.budgetMs
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  const up = input.oldestFirst === true
  const direction = up ? 'ASC' : 'DESC'
  const last = up ? Math.min(input.to ?? newest, newest) : Math.max(input.to ?? 0, 0)
  const indexed = hasSearch(db)
  const marks = marksOf(db)
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
  const isOver = (until: number) => hasStepped && systemClock.monotonic() >= until

  const narrower = narrowerOf(query)
  /** Whether the narrower table has so few rows in a range that examining each is faster than the index. */
  const hasFew = ({ from, to }: Range): boolean =>
    narrower !== null &&
    (valuesOf<number>(
      db,
      `SELECT count(*) FROM (SELECT 1 FROM ${narrower.from} WHERE ${narrower.only} AND driven.seq BETWEEN ? AND ? LIMIT ${FEW})`,
    ).get(to, from) ?? 0) < FEW

  /** Goes on from a seq with a plan. Returns where to continue, or null if the whole range was examined. */
  function go(
    start: number,
    plan: Plan | undefined,
    until: number,
    firstStep: number,
  ): number | null {
    const rest = plan?.rest === undefined ? undefined : whereOf(plan.rest)
    let step = firstStep

    /** Runs a statement over a range, step by step. Returns where to continue, or null at the end. */
    const walk = (
      range: Range,
      statement: string,
      values: readonly unknown[],
      stepped: boolean,
    ): number | null => {
      const prepared = valuesOf<number>(db, statement)
      const { from: high, to: low } = range
      /** The seq after this one; null at the end. */
      const after = (seq: number) =>
        up ? (seq < high ? seq + 1 : null) : seq > low ? seq - 1 : null
      let next: number | null = up ? low : high
      while (next !== null) {
        if (isFull() || isOver(until)) return next
        const end = stepped
          ? up
            ? Math.min(high, next + step - 1)
            : Math.max(low, next - step + 1)
          : up
            ? high
            : low
        const startedAt = systemClock.monotonic()
        const limit = left()
        const found = prepared.all(...values, Math.min(next, end), Math.max(next, end), limit)
        hasStepped = true
        for (const seq of found) seqs.push(seq)
        // A full page ends within the step: the rest of the step is still to do.
        if (limit >= 0 && found.length === limit) return after(seqs.at(-1)!)
        const took = systemClock.monotonic() - startedAt
        if (took < SHORT_MS) step *= 2
        else if (took > LONG_MS) step = Math.max(16, Math.ceil(step / 2))
        next = after(end)
      }
      return null
    }

    const scan = (range: Range) => {
      const [source, seq] =
        narrower === null
          ? ['deliveries d WHERE true', 'd.seq']
          : [
              `${narrower.from} CROSS JOIN deliveries d ON d.seq = driven.seq WHERE ${narrower.only}`,
              'driven.seq',
            ]
      return walk(
        range,
        `SELECT d.seq FROM ${source} AND ${whole.sql}${notHidden('d.seq')} AND ${seq} BETWEEN ? AND ? ORDER BY ${seq} ${direction} LIMIT ?`,
        whole.values,
        true,
      )
    }

    const search = (range: Range, partition: number, { match, ...planned }: Plan) => {
      if (match === null) return null
      const bounded = within(db, range, planned)
      if (bounded === null) return null
      if (match === undefined || (narrower !== null && costOf(query) < 2) || hasFew(bounded))
        return scan(bounded)
      const table = wordsTable(partition)
      if (rest === undefined)
        return walk(
          bounded,
          `SELECT rowid FROM search.${table} WHERE ${table} MATCH ?${notHidden('rowid')} AND rowid BETWEEN ? AND ? ORDER BY rowid ${direction} LIMIT ?`,
          [match],
          false,
        )
      return walk(
        bounded,
        `SELECT d.seq FROM search.${table} w CROSS JOIN deliveries d ON d.seq = w.rowid
         WHERE w.${table} MATCH ? AND ${rest.sql}${notHidden('d.seq')} AND w.rowid BETWEEN ? AND ? ORDER BY w.rowid ${direction} LIMIT ?`,
        [match, ...rest.values],
        true,
      )
    }

    for (let from = start; up ? from <= last : from >= last;) {
      if (isFull() || isOver(until)) return from
      const partition = partitionOf(from)
      const bounds = { from: (partition + 1) * PARTITION_SEQS - 1, to: partition * PARTITION_SEQS }
      const part = up
        ? { from: Math.min(last, bounds.from), to: from }
        : { from, to: Math.max(last, bounds.to) }
      const mark = plan === undefined ? bounds.to - 1 : (marks.get(partition) ?? bounds.to - 1)
      const indexedPart = { from: Math.min(part.from, mark), to: part.to }
      const plainPart = { from: part.from, to: Math.max(part.to, mark + 1) }
      const parts = [
        () => (plainPart.from < plainPart.to ? null : scan(plainPart)),
        () =>
          plan === undefined || indexedPart.from < indexedPart.to
            ? null
            : search(indexedPart, partition, plan),
      ]
      for (const examine of up ? parts.reverse() : parts) {
        const next = examine()
        if (next !== null) return next
      }
      from = up ? part.from + 1 : part.to - 1
    }
    return null
  }

  const first = up
    ? Math.max(
        input.from ?? 0,
        valuesOf<number | null>(db, 'SELECT min(seq) FROM deliveries').get() ?? 0,
      )
    : 0
  let next: number | null = up ? first : Math.min(input.from ?? newest, newest)
  if (indexed && letters !== null) {
    const until = Math.min(deadline, systemClock.monotonic() + (PLAINLY_MS[letters] ?? 0))
    next = go(next, searchPlan(db, query, true), until, FIRST_PLAIN_STEP)
  }
  if (next !== null && !isFull())
    next = go(next, indexed ? searchPlan(db, query) : undefined, deadline, FIRST_STEP)
  return { seqs, next, newest }
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

// Counts the deliveries received before a time without examining each: a block of the index has its earliest and latest time.
// Partly older blocks and deliveries above the marks are left to examine.

interface Older {
  /** Deliveries in completely older blocks, without pinned or deleted ones. */
  readonly counted: number
  /** Inclusive ranges of seqs that may contain more, in no order. */
  readonly unknown: readonly { readonly from: number; readonly to: number }[]
}

/** `before` in milliseconds since the epoch. */
export function countOlder(db: ReadableDb, before: number): Older {
  return db.transaction(() => countNow(db, before))()
}

function countNow(db: ReadableDb, before: number): Older {
  const { least, newest } = db
    .prepare<[], { least: number | null; newest: number | null }>(
      'SELECT (SELECT min(seq) FROM deliveries) AS least, (SELECT max(seq) FROM deliveries) AS newest',
    )
    .get()!
  if (least === null || newest === null) return { counted: 0, unknown: [] }
  if (!hasSearch(db)) return { counted: 0, unknown: [{ from: newest, to: least }] }
  const marks = marksOf(db)
  const markOf = (partition: number) => marks.get(partition) ?? partition * PARTITION_SEQS - 1
  const counted = db
    .prepare<{ before: number }, number>(
      `SELECT coalesce((SELECT sum(deliveries) FROM search.blocks WHERE most_at < @before), 0) - (
         SELECT count(*) FROM (SELECT seq FROM main.deleted UNION SELECT seq FROM main.marks WHERE pinned = 1) spared
         JOIN search.documents document ON document.seq = spared.seq
         JOIN search.blocks b ON b.number = spared.seq / ${BLOCK_SEQS} WHERE b.most_at < @before)`,
    )
    .pluck()
    .get({ before })!
  const unknown = db
    .prepare<{ before: number }, number>(
      'SELECT number FROM search.blocks WHERE least_at < @before AND most_at >= @before',
    )
    .pluck()
    .all({ before })
    .map((number) => {
      const to = number * BLOCK_SEQS
      return { from: Math.min(to + BLOCK_SEQS - 1, markOf(partitionOf(to))), to }
    })
  for (let partition = partitionOf(newest); partition >= partitionOf(least); partition--) {
    const from = Math.min(newest, (partition + 1) * PARTITION_SEQS - 1)
    const to = markOf(partition) + 1
    if (to <= from) unknown.push({ from, to })
  }
  return { counted, unknown }
}
