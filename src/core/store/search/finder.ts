/**
 * Finds the deliveries of a query, newest first, piece by piece: where they are indexed by the index, above its marks by looking
 * at each. Every call ends within its budget and says where to go on, so that nothing that a query asks for can hold up a thread.
 */
import type { Query } from '../../../shared/query/query.ts'
import { systemClock } from '../../base/system-clock.ts'
import { rowsText } from '../deliveries-repo.ts'
import type { ReadableDb } from '../open.ts'
import { whereOf } from '../query-sql.ts'
import { rowStatement, valuesOf } from '../statements.ts'
import { hasSearch, BLOCK_SEQS, PARTITION_SEQS, partitionOf, wordsTable } from './open-search.ts'
import { searchPlan, shortestBegun, type Plan } from './plan.ts'

export interface FindInput {
  readonly query: Query
  /** The range of seqs to look at, both included; from the newest where absent, to the first. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Ends when so many are found. */
  readonly limit?: number | undefined
  readonly budgetMs: number
}

export interface FoundSeqs {
  /** Newest first. */
  readonly seqs: number[]
  /** Where to go on; null where all of the range was looked at. */
  readonly next: number | null
  /** Largest seq stored at that moment. */
  readonly newest: number
}

/** Seqs looked at by one statement, before it is known how long they take. */
const FIRST_STEP = 1_024
/**
 * Deliveries that have a word which begins with some letter or two are nearly all: a page of them is there sooner by looking at the
 * newest than by the index, which gathers such words first. Where it is not, the index goes on. For so long by the number of letters: in
 * the whole of a partition the index takes up to 150 ms for one, and 11 for two.
 */
const PLAINLY_MS: Readonly<Record<number, number>> = { 1: 12, 2: 5 }
const FIRST_PLAIN_STEP = 64
const SHORT_MS = 4
const LONG_MS = 16

interface Range {
  readonly from: number
  readonly to: number
}

/** How far each partition is indexed, by its number; nothing where there is no index. */
export function marksOf(db: ReadableDb): Map<number, number> {
  if (!hasSearch(db)) return new Map()
  const rows = rowStatement<{ number: number; mark: number }>(db, 'SELECT number, mark FROM search.partitions').all()
  return new Map(rows.map(({ number, mark }) => [number, mark]))
}

/** The part of an indexed range in which a delivery can have come at the times that the query allows. */
function within(db: ReadableDb, range: Range, { since, until }: Pick<Plan, 'since' | 'until'>): Range | null {
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
  // One transaction: what is indexed between two statements must not be in both of their answers, or in none.
  return db.transaction(() => findNow(db, input, null))()
}

/** What `find` finds, and the rows of it, which are all there unless they have to be looked for further. */
interface FoundPage extends FoundSeqs {
  /** JSON, newest first; null where the page is not full and there is more to look at. */
  readonly rows: string | null
}

export function findPage(db: ReadableDb, input: FindInput & { readonly limit: number }): FoundPage {
  return db.transaction(() => {
    const found = findNow(db, input, shortestBegun(input.query))
    const isDone = found.next === null || found.seqs.length >= input.limit
    return { ...found, rows: isDone ? rowsText(db, found.seqs) : null }
  })()
}

/** `letters`: how many characters the shortest begun word has, where such words are to be looked for in the newest first. */
function findNow(db: ReadableDb, input: FindInput, letters: number | null): FoundSeqs {
  const deadline = systemClock.monotonic() + input.budgetMs
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  const least = Math.max(input.to ?? 0, 0)
  const indexed = hasSearch(db)
  const marks = marksOf(db)
  const whole = whereOf(input.query)
  const seqs: number[] = []
  // What is deleted is hidden until it is taken out. Mostly nothing is, and nothing need be asked then.
  const hidesSome = valuesOf<number>(db, 'SELECT EXISTS (SELECT 1 FROM main.deleted)').get() === 1
  const notHidden = (seq: string) => (hidesSome ? ` AND ${seq} NOT IN (SELECT seq FROM main.deleted)` : '')
  const isFull = () => input.limit !== undefined && seqs.length >= input.limit
  const left = () => (input.limit === undefined ? -1 : input.limit - seqs.length)

  /** Goes down from a seq by a plan. Gives where to go on, or null where all of the range was looked at. */
  function go(start: number, plan: Plan | undefined, until: number, firstStep: number): number | null {
    const rest = plan?.rest === undefined ? undefined : whereOf(plan.rest)
    let step = firstStep

    /** Runs a statement over a range, step by step. Gives where to go on, or null where the range is done. */
    const walk = (range: Range, statement: string, values: readonly unknown[], stepped: boolean): number | null => {
      const prepared = valuesOf<number>(db, statement)
      for (let from = range.from; from >= range.to;) {
        if (isFull() || systemClock.monotonic() >= until) return from
        const to = stepped ? Math.max(range.to, from - step + 1) : range.to
        const startedAt = systemClock.monotonic()
        const limit = left()
        const found = prepared.all(...values, to, from, limit)
        for (const seq of found) seqs.push(seq)
        // A full page ends within the step: the rest of it is still to be looked at.
        if (limit >= 0 && found.length === limit) return seqs.at(-1)! > range.to ? seqs.at(-1)! - 1 : null
        const took = systemClock.monotonic() - startedAt
        if (took < SHORT_MS) step *= 2
        else if (took > LONG_MS) step = Math.max(16, Math.ceil(step / 2))
        from = to - 1
      }
      return null
    }

    const scan = (range: Range) =>
      walk(
        range,
        `SELECT d.seq FROM deliveries d WHERE ${whole.sql}${notHidden('d.seq')} AND d.seq BETWEEN ? AND ? ORDER BY d.seq DESC LIMIT ?`,
        whole.values,
        true,
      )

    const search = (range: Range, partition: number, { match, ...planned }: Plan) => {
      if (match === null) return null
      const bounded = within(db, range, planned)
      if (bounded === null) return null
      if (match === undefined) return scan(bounded)
      const table = wordsTable(partition)
      if (rest === undefined)
        return walk(
          bounded,
          `SELECT rowid FROM search.${table} WHERE ${table} MATCH ?${notHidden('rowid')} AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`,
          [match],
          false,
        )
      return walk(
        bounded,
        `SELECT d.seq FROM search.${table} w CROSS JOIN deliveries d ON d.seq = w.rowid
         WHERE w.${table} MATCH ? AND ${rest.sql}${notHidden('d.seq')} AND w.rowid BETWEEN ? AND ? ORDER BY w.rowid DESC LIMIT ?`,
        [match, ...rest.values],
        true,
      )
    }

    for (let from = start; from >= least;) {
      if (isFull() || systemClock.monotonic() >= until) return from
      const partition = partitionOf(from)
      const first = Math.max(least, partition * PARTITION_SEQS)
      const mark = Math.min(from, plan === undefined ? first - 1 : (marks.get(partition) ?? first - 1))
      let next = mark < from ? scan({ from, to: Math.max(first, mark + 1) }) : null
      if (next !== null) return next
      if (plan !== undefined && mark >= first) {
        next = search({ from: mark, to: first }, partition, plan)
        if (next !== null) return next
      }
      from = first - 1
    }
    return null
  }

  let next: number | null = Math.min(input.from ?? newest, newest)
  if (indexed && letters !== null) {
    const until = Math.min(deadline, systemClock.monotonic() + (PLAINLY_MS[letters] ?? 0))
    next = go(next, searchPlan(db, input.query, true), until, FIRST_PLAIN_STEP)
  }
  if (next !== null && !isFull()) next = go(next, indexed ? searchPlan(db, input.query) : undefined, deadline, FIRST_STEP)
  return { seqs, next, newest }
}

export interface AnchorsInput {
  readonly query: Query
  readonly pageSize: number
  /** Where to go on; from the newest where absent. */
  readonly from?: number | undefined
  /** Rows that the last page already has. */
  readonly skip: number
  readonly budgetMs: number
}

export interface SearchAnchors {
  /** Deliveries found by this call. */
  readonly total: number
  /** The seq that each page starts from, newest first. */
  readonly anchors: number[]
  /** Where to go on; null where all was looked at. */
  readonly next: number | null
  /** Largest seq stored at that moment. */
  readonly newest: number
}

/** How many deliveries a query finds, and where each page of them starts: what a list of any length is reached by. */
export function anchorsOf(db: ReadableDb, { query, pageSize, from, skip, budgetMs }: AnchorsInput): SearchAnchors {
  const { seqs, next, newest } = find(db, { query, from, budgetMs })
  const anchors: number[] = []
  for (let index = (pageSize - (skip % pageSize)) % pageSize; index < seqs.length; index += pageSize) anchors.push(seqs[index]!)
  return { total: seqs.length, anchors, next, newest }
}
