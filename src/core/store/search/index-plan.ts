/** Plans the use of the index: an expression that every match fulfills, and further conditions. */
import type { Predicate, Query } from '../../../shared/query/query.ts'
import type { SearchPhrase } from '../../../shared/query/search-words.ts'
import { whereOf } from '../query-sql.ts'
import { rowStatement } from '../statements.ts'
import type { ReadableDb } from '../database.ts'
import { MATCHED_WORDS, phraseOf, wordsOfJson } from './json-words.ts'
import {
  EVERY_DELIVERY_WORD,
  FACT_COLUMNS,
  factWord,
  VALUE_COLUMNS,
  type FactColumn,
  type FactRow,
} from './index-facts.ts'

export interface IndexPlan {
  /** FTS5 expression; null matches nothing, undefined doesn't narrow it down. */
  readonly match: string | null | undefined
  /** Query to check for each match, if any. */
  readonly rest: Query | undefined
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly until: number
}

interface Planning {
  readonly db: ReadableDb
  /** Prefixes that aren't searched in the index. */
  readonly commonPrefixes: readonly SearchPhrase[]
  /** Whether to find the deliveries that don't match. */
  readonly negated: boolean
}

interface Narrowed {
  readonly match: string | null
  readonly exact: boolean
}

const COLUMN = /\bd\.([a-z_0-9]+)/g
const TABLE = /\bFROM\b(?! json_each\()/i

/** Returns the fact columns that a condition reads; null if it reads anything else. */
function factColumnsOf(sql: string, kind: Predicate['kind']): readonly FactColumn[] | null {
  const columns = [...new Set(Array.from(sql.matchAll(COLUMN), ([, column]) => column))]
  if (columns.length === 0 || TABLE.test(sql)) return null
  // Flags also read presence columns, of which the index has no values.
  const readable: readonly FactColumn[] = kind === 'flag' ? FACT_COLUMNS : VALUE_COLUMNS
  const readColumns = columns.flatMap((column) => readable.find((one) => one === column) ?? [])
  return readColumns.length === columns.length ? readColumns : null
}

function narrowFact({ db, negated }: Planning, predicate: Predicate): Narrowed | undefined {
  const { sql, values } = whereOf(predicate)
  const columns = factColumnsOf(sql, predicate.kind)
  if (columns === null) return undefined
  const facts = rowStatement<FactRow>(
    db,
    `SELECT DISTINCT ${columns.map((column) => `d.${column}`).join(', ')} FROM search.fact_sets d WHERE coalesce(${sql}, 0) = ${negated ? 0 : 1}`,
  ).all(...values)
  const matches = facts.map((row) =>
    columns.map((column) => `"${factWord(column, row[column])}"`).join(' AND '),
  )
  return {
    match: matches.length === 0 ? null : `(${matches.map((match) => `(${match})`).join(' OR ')})`,
    exact: true,
  }
}

/** Letters of a prefix that matches a large part of all words. */
const SHORT_LETTERS = 2

export function shortPrefixesOf(query: Query): readonly SearchPhrase[] {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.flatMap(shortPrefixesOf)
    case 'not':
      return shortPrefixesOf(query.of)
    case 'words': {
      const { words, prefix } = query.phrase
      return prefix && (words.at(-1) ?? '').length <= SHORT_LETTERS ? [query.phrase] : []
    }
    default:
      return []
  }
}

function allOf(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  const narrowings = parts.filter((part) => part !== undefined)
  if (narrowings.length === 0) return undefined
  const exact = narrowings.length === parts.length && narrowings.every((part) => part.exact)
  if (narrowings.some(({ match }) => match === null)) return { match: null, exact: true }
  return { match: `(${narrowings.map(({ match }) => match).join(' AND ')})`, exact }
}

function anyOf(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  if (parts.includes(undefined)) return undefined
  const narrowings = parts as readonly Narrowed[]
  const matches = narrowings.flatMap(({ match }) => match ?? [])
  return {
    match: matches.length === 0 ? null : `(${matches.join(' OR ')})`,
    exact: narrowings.every(({ exact }) => exact),
  }
}

function narrow(planning: Planning, query: Query): Narrowed | undefined {
  const { commonPrefixes, negated } = planning
  switch (query.kind) {
    case 'not':
      return narrow({ ...planning, negated: !negated }, query.of)
    case 'all':
    case 'any': {
      // Parts are negated too: not all is any of them, not any is all (De Morgan).
      const needsAll = (query.kind === 'all') !== negated
      if (query.of.length === 0)
        return { match: needsAll ? `"${EVERY_DELIVERY_WORD}"` : null, exact: true }
      const parts = query.of.map((part) => narrow(planning, part))
      return needsAll ? allOf(parts) : anyOf(parts)
    }
    case 'words': {
      if (commonPrefixes.includes(query.phrase)) return undefined
      // A word missing from the body may be elsewhere.
      const { words, prefix } = query.phrase
      const exact = query.within === 'everything' && words.length <= MATCHED_WORDS
      const match = phraseOf(words, prefix)
      if (!negated) return { match, exact }
      return exact ? { match: `("${EVERY_DELIVERY_WORD}" NOT ${match})`, exact } : undefined
    }
    case 'json':
    case 'contains': {
      const match = negated ? null : wordsOfJson(query)
      return match === null ? undefined : { match, exact: false }
    }
    case 'text':
    case 'possible-event':
    case 'one-of':
    case 'bounds':
    case 'flag':
      return narrowFact(planning, query)
    default:
      return undefined
  }
}

/** Returns the times of receipt that a query's mandatory conditions allow. */
function timesOf(query: Query): { since: number; until: number } {
  const all = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  if (query.kind === 'all')
    return query.of.map(timesOf).reduce(
      (before, times) => ({
        since: Math.max(before.since, times.since),
        until: Math.min(before.until, times.until),
      }),
      all,
    )
  if (query.kind !== 'bounds' || !/^d\.received_at\b/.test(whereOf(query).sql.replace(/^\(+/, '')))
    return all
  return query.bounds.reduce(
    ({ since, until }, { operator, value }) =>
      operator.startsWith('>')
        ? { since: Math.max(since, value), until }
        : { since, until: Math.min(until, value) },
    all,
  )
}

/** Plans the use of the attached index, which gives the same results as without it. */
export function searchPlan(
  db: ReadableDb,
  query: Query,
  commonPrefixes: readonly SearchPhrase[] = [],
): IndexPlan {
  const planning = { db, commonPrefixes, negated: false }
  const parts = query.kind === 'all' ? query.of : [query]
  const narrowed = parts.map((part) => narrow(planning, part))
  const undecided = parts.filter((_, index) => narrowed[index]?.exact !== true)
  return {
    match: parts.length === 0 ? `"${EVERY_DELIVERY_WORD}"` : allOf(narrowed)?.match,
    rest: undecided.length === 0 ? undefined : { kind: 'all', of: undecided },
    ...timesOf(query),
  }
}
