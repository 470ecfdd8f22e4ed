/**
 * Finds the deliveries of a query: indexed deliveries by the index, the rest one by one. A query becomes one or two statements over
 * seqs; lists, counts, timelines and statistics are read from them.
 */
import { splitListed, type Query } from '../../../shared/query/query.ts'
import type { ReadableDb } from '../open.ts'
import { costOf, whereOf, type Condition } from '../query-sql.ts'
import { endReadWithin, isTooSlow, rowStatement, stillWanted, valuesOf } from '../statements.ts'
import { BLOCK_SEQS, indexedSeq } from './open-search.ts'
import { narrowerOf, searchPlan, type Plan } from './plan.ts'

/** From the newest of its seqs down to the oldest, both included. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A `SELECT` of the seqs, named `seq`, of one part of a query's matches. */
export type MatchingSeqs = Condition

export interface MatchesInput {
  readonly query: Query
  /** By default all deliveries. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Examines deliveries for prefixes of one or two letters: the index gathers nearly all words for them before the first result. */
  readonly plainly?: boolean
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
  return {
    to: Math.max(range.to, found.least * BLOCK_SEQS),
    from: Math.min(range.from, (found.most + 1) * BLOCK_SEQS - 1),
  }
}

const newestOf = (db: ReadableDb) =>
  valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0

/**
 * The matches of a query, the newer part first. Use it in one transaction with what reads from it: a delivery indexed between two
 * statements must be in exactly one of them.
 */
export function matchesOf(
  db: ReadableDb,
  { query: listed, from, to = 1, plainly = false }: MatchesInput,
): MatchingSeqs[] {
  const { query, hidesFlows } = splitListed(listed)
  const newest = from ?? newestOf(db)
  const indexed = indexedSeq(db)
  const whole = whereOf(query)
  // Deleted deliveries are hidden until they are removed. Usually no delivery is hidden, and no condition is needed.
  const hiding = ['deleted', ...(hidesFlows ? ['flow_deliveries'] : [])].filter(
    (table) => valuesOf<number>(db, `SELECT EXISTS (SELECT 1 FROM main.${table})`).get() === 1,
  )
  /** FTS5 takes bounds only as integers; numbers are bound as floats. */
  const inRange = (seq: string) =>
    [
      stillWanted(seq),
      ...hiding.map((table) => `${seq} NOT IN (SELECT seq FROM main.${table})`),
      `${seq} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`,
    ].join(' AND ')

  /** Examines each delivery of a range, or each that a narrower table has. */
  function scan(range: Range): MatchingSeqs[] {
    if (range.from < range.to) return []
    const narrower = narrowerOf(query)
    const [source, seq, only] =
      narrower === null
        ? ['deliveries d', 'd.seq', 'true']
        : [
            `${narrower.from} CROSS JOIN deliveries d ON d.seq = driven.seq`,
            'driven.seq',
            narrower.only,
          ]
    return [
      {
        sql: `SELECT ${seq} AS seq FROM ${source} WHERE ${only} AND ${inRange(seq)} AND ${whole.sql}`,
        values: [range.to, range.from, ...whole.values],
      },
    ]
  }

  function search(range: Range): MatchingSeqs[] {
    if (range.from < range.to) return []
    const { match, rest, ...times } = searchPlan(db, query, plainly)
    if (match === null) return []
    const bounded = within(db, range, times)
    if (bounded === null) return []
    if (match === undefined || (narrowerOf(query) !== null && costOf(query) < 2))
      return scan(bounded)
    const { sql, values } = rest === undefined ? { sql: 'true', values: [] } : whereOf(rest)
    return [
      {
        sql: `SELECT w.rowid AS seq FROM search.words w ${rest === undefined ? '' : 'CROSS JOIN deliveries d ON d.seq = w.rowid'}
          WHERE w.words MATCH ? AND ${inRange('w.rowid')} AND ${sql}`,
        values: [match, bounded.to, bounded.from, ...values],
      },
    ]
  }

  return [
    ...scan({ from: newest, to: Math.max(to, indexed + 1) }),
    // Without an index, or with an empty one, there is nothing to search.
    ...(indexed === 0 ? [] : search({ from: Math.min(newest, indexed), to })),
  ]
}

export interface FindInput extends Omit<MatchesInput, 'plainly'> {
  /** The range of seqs begins at `from`, which is its oldest one if the oldest come first. */
  readonly oldestFirst?: boolean | undefined
  /** Ends when this many are found. */
  readonly limit?: number | undefined
}

export interface FoundSeqs {
  /** In the order asked for. */
  readonly seqs: number[]
  /** Where to continue; null if the whole range was examined. */
  readonly next: number | null
  /** The largest stored seq at that moment. */
  readonly newest: number
}

/** Deliveries examined at once: a list shows the matches among the newest while others are examined. */
const SPAN = 32_768

/** Finds matches among the next deliveries of a range, newest or oldest first. */
export function find(
  db: ReadableDb,
  { query, from, to, oldestFirst: up = false, limit = SPAN }: FindInput,
): FoundSeqs {
  return db.transaction((): FoundSeqs => {
    const newest = newestOf(db)
    const oldest = valuesOf<number | null>(db, 'SELECT min(seq) FROM deliveries').get() ?? 0
    const high = Math.min((up ? to : from) ?? newest, newest)
    const low = Math.max((up ? from : to) ?? 0, oldest)
    const range = up
      ? { from: Math.min(high, low + SPAN - 1), to: low }
      : { from: high, to: Math.max(low, high - SPAN + 1) }
    const seqs: number[] = []
    if (low > high) return { seqs, next: null, newest }
    const parts = matchesOf(db, { query, ...range, plainly: true })
    for (const { sql, values } of up ? parts.reverse() : parts) {
      const statement = valuesOf<number>(db, `${sql} ORDER BY 1 ${up ? 'ASC' : 'DESC'} LIMIT ?`)
      for (const seq of statement.all(...values, limit - seqs.length)) seqs.push(seq)
      const last = seqs.at(-1)
      if (last === undefined || seqs.length < limit) continue
      const next = up ? last + 1 : last - 1
      return { seqs, next: next < low || next > high ? null : next, newest }
    }
    const next = up ? range.from + 1 : range.to - 1
    return { seqs, next: next < low || next > high ? null : next, newest }
  })()
}

export interface CountInput {
  readonly query: Query
  readonly most: number
  /** Ends after this many milliseconds with the count so far. */
  readonly withinMs: number
}

/** How many deliveries a query finds, up to `most`; `more` if there may be more. */
export function countMatches(
  db: ReadableDb,
  { query, most, withinMs }: CountInput,
): { readonly count: number; readonly more: boolean } {
  endReadWithin(db, withinMs)
  let count = 0
  try {
    return db.transaction(() => {
      for (const { sql, values } of matchesOf(db, { query }))
        for (const _ of valuesOf<number>(db, sql).iterate(...values))
          if (++count > most) return { count: most, more: true }
      return { count, more: false }
    })()
  } catch (error) {
    if (!isTooSlow(error)) throw error
    return { count, more: true }
  }
}
