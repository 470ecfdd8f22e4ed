/**
 * Finds the deliveries of a query: indexed ones by the index, others one by one. Lists, counts,
 * timelines and statistics share its SQL.
 */
import type { Query } from '../../../shared/query/query.ts'
import { separateUnlisted } from '../../../shared/query/unlisted.ts'
import type { SearchPhrase } from '../../../shared/query/search-words.ts'
import { whereOf, costOf, type Condition } from '../query-sql.ts'
import { rowStatement, columnStatement } from '../statements.ts'
import type { ReadableDb } from '../database.ts'
import { endReadWithin, isTooSlow, stillWanted } from '../read-limits.ts'
import { BLOCK_SEQS, indexedSeq } from './open-search.ts'
import { candidateTableOf } from './candidate-tables.ts'
import { type IndexPlan, searchPlan, shortPrefixesOf } from './index-plan.ts'

/** Range of seqs, both ends included. */
interface Range {
  readonly newest: number
  readonly oldest: number
}

/** SQL that selects the matching seqs of one part of the range. */
export type MatchingSeqs = Condition

export interface MatchesInput extends Partial<Range> {
  readonly query: Query
  readonly plan?: IndexPlan
  /** Milliseconds; parts of the index without these times are skipped. */
  readonly since?: number
  readonly until?: number
}

function rangeWithTimes(
  db: ReadableDb,
  range: Range,
  { since, until }: Pick<IndexPlan, 'since' | 'until'>,
): Range | null {
  if (since === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY) return range
  const blocks = rowStatement<{ least: number | null; most: number | null }>(
    db,
    `SELECT min(number) AS least, max(number) AS most FROM search.blocks
     WHERE number BETWEEN ? AND ? AND most_at >= ? AND least_at <= ?`,
  ).get(Math.floor(range.oldest / BLOCK_SEQS), Math.floor(range.newest / BLOCK_SEQS), since, until)
  if (blocks === undefined || blocks.least === null || blocks.most === null) return null
  return {
    oldest: Math.max(range.oldest, blocks.least * BLOCK_SEQS),
    newest: Math.min(range.newest, (blocks.most + 1) * BLOCK_SEQS - 1),
  }
}

const newestOf = (db: ReadableDb) =>
  columnStatement<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0

/** Returns a query's matches, the newer part first, for one transaction. */
export function matchesSql(
  db: ReadableDb,
  { query: listed, newest = newestOf(db), oldest = 1, plan, ...bounds }: MatchesInput,
): MatchingSeqs[] {
  const { query, leftOut } = separateUnlisted(listed)
  const indexed = indexedSeq(db)
  const whole = whereOf(query)
  const hiding = ['deleted', ...leftOut].filter(
    (table) =>
      columnStatement<number>(db, `SELECT EXISTS (SELECT 1 FROM main.${table})`).get() === 1,
  )
  /** Returns the condition of seqs in a range, cast because FTS5 takes only integers as bounds. */
  const inRange = (seq: string) =>
    [
      stillWanted(seq),
      ...hiding.map((table) => `${seq} NOT IN (SELECT seq FROM main.${table})`),
      `${seq} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`,
    ].join(' AND ')

  /** Examines each delivery of a range or of a smaller table. */
  function scan(range: Range): MatchingSeqs[] {
    if (range.newest < range.oldest) return []
    const candidateTable = candidateTableOf(query)
    const [source, seq, condition] =
      candidateTable === null
        ? ['deliveries d', 'd.seq', 'true']
        : [
            `${candidateTable.from} CROSS JOIN deliveries d ON d.seq = candidates.seq`,
            'candidates.seq',
            candidateTable.condition,
          ]
    return [
      {
        sql: `SELECT ${seq} AS seq FROM ${source} WHERE ${condition} AND ${inRange(seq)} AND ${whole.sql}`,
        values: [range.oldest, range.newest, ...whole.values],
      },
    ]
  }

  function search(range: Range): MatchingSeqs[] {
    if (range.newest < range.oldest) return []
    const { match, rest, ...times } = plan ?? searchPlan(db, query)
    if (match === null) return []
    const bounded = rangeWithTimes(db, range, {
      since: Math.max(times.since, bounds.since ?? times.since),
      until: Math.min(times.until, bounds.until ?? times.until),
    })
    if (bounded === null) return []
    if (match === undefined || (candidateTableOf(query) !== null && costOf(query) < 2))
      return scan(bounded)
    const { sql, values } = rest === undefined ? { sql: 'true', values: [] } : whereOf(rest)
    return [
      {
        sql: `SELECT w.rowid AS seq FROM search.words w ${rest === undefined ? '' : 'CROSS JOIN deliveries d ON d.seq = w.rowid'}
          WHERE w.words MATCH ? AND ${inRange('w.rowid')} AND ${sql}`,
        values: [match, bounded.oldest, bounded.newest, ...values],
      },
    ]
  }

  return [
    ...scan({ newest, oldest: Math.max(oldest, indexed + 1) }),
    ...(indexed === 0 ? [] : search({ newest: Math.min(newest, indexed), oldest })),
  ]
}

export interface FindInput extends Pick<MatchesInput, 'query'> {
  /** Seqs in the order of the search: `from` is the newest, or with `oldestFirst` the oldest. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly oldestFirst?: boolean | undefined
  readonly limit?: number | undefined
}

export interface FoundSeqs {
  readonly seqs: number[]
  readonly next: number | null
  readonly newest: number
}

/** Deliveries examined at once, so that a list shows matches early. */
const SPAN = 32_768

/** Deliveries examined at once if a common prefix isn't searched in the index. */
const PLAIN_SPAN = 4_096

/** A prefix is common if one in this many examined deliveries has it. */
const COMMON_SHARE = 16
const EXAMINED_FIRST = 512

/** Whether enough deliveries have the words to examine them one by one. */
function isCommon(db: ReadableDb, phrase: SearchPhrase, range: Range): boolean {
  const { sql, values } = whereOf({ kind: 'words', phrase, within: 'everything' })
  const count = columnStatement<number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.seq BETWEEN ? AND ? AND ${stillWanted('d.seq')} AND ${sql} LIMIT ?)`,
  ).get(range.oldest, range.newest, ...values, EXAMINED_FIRST / COMMON_SHARE)
  return count === EXAMINED_FIRST / COMMON_SHARE
}

/** Finds matches among the next deliveries of a range. */
export function findMatches(
  db: ReadableDb,
  { query, from, to, oldestFirst = false, limit = SPAN }: FindInput,
): FoundSeqs {
  return db.transaction((): FoundSeqs => {
    const newest = newestOf(db)
    const oldest = columnStatement<number | null>(db, 'SELECT min(seq) FROM deliveries').get() ?? 0
    const high = Math.min((oldestFirst ? to : from) ?? newest, newest)
    const low = Math.max((oldestFirst ? from : to) ?? 0, oldest)
    const seqs: number[] = []
    if (low > high) return { seqs, next: null, newest }
    const first = (span: number) =>
      oldestFirst
        ? { newest: Math.min(high, low + span - 1), oldest: low }
        : { newest: high, oldest: Math.max(low, high - span + 1) }
    const visible = separateUnlisted(query).query
    const indexed = indexedSeq(db)
    const commonPrefixes = shortPrefixesOf(visible).filter((phrase) =>
      isCommon(db, phrase, first(EXAMINED_FIRST)),
    )
    const plan = indexed === 0 ? undefined : searchPlan(db, visible, commonPrefixes)
    // If the index is enough, the whole range is searched at once.
    const isIndexEnough =
      plan?.match !== undefined && plan.rest === undefined && high - indexed < SPAN
    const range = isIndexEnough
      ? { newest: high, oldest: low }
      : first(commonPrefixes.length > 0 ? PLAIN_SPAN : SPAN)
    const parts = matchesSql(db, { query, ...range, ...(plan && { plan }) })
    for (const { sql, values } of oldestFirst ? parts.reverse() : parts) {
      const statement = columnStatement<number>(
        db,
        `${sql} ORDER BY 1 ${oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`,
      )
      for (const seq of statement.all(...values, limit - seqs.length)) seqs.push(seq)
      const last = seqs.at(-1)
      if (last === undefined || seqs.length < limit) continue
      const next = oldestFirst ? last + 1 : last - 1
      return { seqs, next: next < low || next > high ? null : next, newest }
    }
    const next = oldestFirst ? range.newest + 1 : range.oldest - 1
    return { seqs, next: next < low || next > high ? null : next, newest }
  })()
}

export interface CountInput {
  readonly query: Query
  readonly most: number
  /** Milliseconds after which it ends with the count so far. */
  readonly withinMs: number
}

/** Counts matches up to `most`; `more` tells that there may be others. */
export function countMatches(
  db: ReadableDb,
  { query, most, withinMs }: CountInput,
): { readonly count: number; readonly more: boolean } {
  endReadWithin(db, withinMs)
  let count = 0
  try {
    return db.transaction(() => {
      for (const { sql, values } of matchesSql(db, { query }))
        for (const _ of columnStatement<number>(db, sql).iterate(...values))
          if (++count > most) return { count: most, more: true }
      return { count, more: false }
    })()
  } catch (error) {
    if (!isTooSlow(error)) throw error
    return { count, more: true }
  }
}
