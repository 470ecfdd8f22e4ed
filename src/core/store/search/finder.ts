/**
 * Finds the deliveries of a query: indexed deliveries by the index, the rest one by one. A query becomes one or two statements over
 * seqs; lists, counts, timelines and statistics are read from them.
 *
 * First it plans the use of the index: an expression that is true for every matching delivery, and the rest, which is checked for
 * each of those. The index knows a field if its condition reads only fact columns; the condition itself is evaluated on the existing
 * fact sets, so a field means the same with and without the index.
 */
import type { FieldName } from '../../../shared/query/fields.ts'
import type { FlagName } from '../../../shared/query/flags.ts'
import {
  type Predicate,
  type Query,
  type JsonTest,
  splitListed,
} from '../../../shared/query/query.ts'
import { matchExpression, type WantedWords, splitWords } from '../../../shared/query/words.ts'
import type { ReadableDb } from '../open.ts'
import { whereOf, costOf, type Condition } from '../query-sql.ts'
import { rowStatement, endReadWithin, isTooSlow, stillWanted, valuesOf } from '../statements.ts'
import {
  EVERY_DELIVERY,
  FACT_COLUMNS,
  factWord,
  VALUE_COLUMNS,
  type FactColumn,
  type FactRow,
  EXPONENT,
  LARGER,
} from './contents.ts'
import { isDecimal } from '../../../shared/query/decimal.ts'
import { BLOCK_SEQS, indexedSeq } from './open-search.ts'

interface Plan {
  /** For FTS5's MATCH; null if no indexed delivery can match. Undefined: the index doesn't narrow it down. */
  readonly match: string | null | undefined
  /** What remains to check for each matching delivery; undefined: nothing. */
  readonly rest: Query | undefined
  /** The receive times that a matching delivery can have, in milliseconds since the epoch. */
  readonly since: number
  readonly until: number
}

interface Planning {
  readonly db: ReadableDb
  /** Words that are left to be checked for each delivery. */
  readonly plain: readonly WantedWords[]
}

interface Narrowed {
  readonly match: string | null
  /** Whether it is true for no other delivery. */
  readonly exact: boolean
}

const COLUMN = /\bd\.([a-z_0-9]+)/g
/** Reads a table: the elements of a column itself aren't one. */
const TABLE = /\bFROM\b(?! json_each\()/i

/** The fact columns that a condition reads; null if it reads anything else, or no column. */
function factColumnsOf(sql: string, kind: Predicate['kind']): readonly FactColumn[] | null {
  const columns = [...new Set(Array.from(sql.matchAll(COLUMN), ([, column]) => column))]
  if (columns.length === 0 || TABLE.test(sql)) return null
  // For presence columns the index knows only whether there is a value, which is all that a flag needs.
  const readable: readonly FactColumn[] = kind === 'flag' ? FACT_COLUMNS : VALUE_COLUMNS
  const known = columns.flatMap((column) => readable.find((one) => one === column) ?? [])
  return known.length === columns.length ? known : null
}

/** `negated`: for the deliveries that don't match. */
function narrowFact(db: ReadableDb, predicate: Predicate, negated: boolean): Narrowed | undefined {
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

/** The index compares so many words of a phrase; the time of each is the number of times that the first ones occur. */
const MATCHED_WORDS = 8

function phraseOf(words: readonly string[], prefix: boolean): string {
  return words.length > MATCHED_WORDS
    ? matchExpression({ words: words.slice(0, MATCHED_WORDS), prefix: false })
    : matchExpression({ words, prefix })
}

/** Prefixes of this length can match a large part of all words, and the index gathers them before it finds the first delivery. */
const SHORT_LETTERS = 2

function shortPrefixesOf(query: Query): readonly WantedWords[] {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.flatMap(shortPrefixesOf)
    case 'not':
      return shortPrefixesOf(query.of)
    case 'words': {
      const { words, prefix } = query.wanted
      return prefix && (words.at(-1) ?? '').length <= SHORT_LETTERS ? [query.wanted] : []
    }
    default:
      return []
  }
}

function every(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0) return undefined
  const exact = known.length === parts.length && known.every((part) => part.exact)
  if (known.some(({ match }) => match === null)) return { match: null, exact: true }
  return { match: `(${known.map(({ match }) => match).join(' AND ')})`, exact }
}

function some(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  if (parts.includes(undefined)) return undefined
  const known = parts as readonly Narrowed[]
  const matches = known.flatMap(({ match }) => match ?? [])
  return {
    match: matches.length === 0 ? null : `(${matches.join(' OR ')})`,
    exact: known.every(({ exact }) => exact),
  }
}

function narrow(planning: Planning, query: Query, negated: boolean): Narrowed | undefined {
  switch (query.kind) {
    case 'not':
      return narrow(planning, query.of, !negated)
    case 'all':
    case 'any': {
      if (query.of.length === 0)
        return (query.kind === 'all') === negated
          ? { match: null, exact: true }
          : { match: `"${EVERY_DELIVERY}"`, exact: true }
      const parts = query.of.map((part) => narrow(planning, part, negated))
      return (query.kind === 'all') === negated ? some(parts) : every(parts)
    }
    case 'words': {
      if (planning.plain.includes(query.wanted)) return undefined
      // A word in the body is in the delivery; a word missing from the body proves nothing.
      const { words, prefix } = query.wanted
      const exact = query.within === 'everything' && words.length <= MATCHED_WORDS
      const match = phraseOf(words, prefix)
      if (!negated) return { match, exact }
      return exact ? { match: `("${EVERY_DELIVERY}" NOT ${match})`, exact } : undefined
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
      return narrowFact(planning.db, query, negated)
    default:
      return undefined
  }
}

/** The times that a query allows, if a mandatory term says so. */
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

/** Plans a query over a connection that has the index attached as `search`. */
export function searchPlan(db: ReadableDb, query: Query, plain: readonly WantedWords[] = []): Plan {
  const planning = { db, plain }
  const parts = query.kind === 'all' ? query.of : [query]
  const narrowed = parts.map((part) => narrow(planning, part, false))
  const left = parts.filter((_, index) => narrowed[index]?.exact !== true)
  return {
    match: parts.length === 0 ? `"${EVERY_DELIVERY}"` : every(narrowed)?.match,
    rest: left.length === 0 ? undefined : { kind: 'all', of: left },
    ...timesOf(query),
  }
}

/** A table, or part of one, with a row for each delivery that can match: it is examined instead of all deliveries. */
interface Narrower {
  /** For FROM, with the alias `driven`. */
  readonly from: string
  /** A condition on its rows. */
  readonly only: string
}

const FAILING: Narrower = {
  from: 'handler_responses driven INDEXED BY handler_responses_failing',
  only: "driven.outcome = 'failing'",
}
const RESPONDED: Narrower = { from: 'handler_responses driven', only: 'true' }
const OF_FLOWS: Narrower = { from: 'flow_deliveries driven', only: 'true' }
const NARROWING: Readonly<Partial<Record<FieldName, Narrower>>> = {
  response: RESPONDED,
  handler: RESPONDED,
  flow: OF_FLOWS,
}

const NARROWING_FLAGS: Readonly<Partial<Record<FlagName, Narrower>>> = {
  'response:failing': FAILING,
  'is:flow': OF_FLOWS,
}

/** The smallest known table with all deliveries that a query can find; null if none is known. */
function narrowerOf(query: Query): Narrower | null {
  switch (query.kind) {
    case 'all': {
      const known = query.of.map(narrowerOf)
      return [OF_FLOWS, FAILING, RESPONDED].find((one) => known.includes(one)) ?? null
    }
    case 'any': {
      const [first = null, ...others] = query.of.map(narrowerOf)
      return others.every((other) => other === first) ? first : null
    }
    case 'flag':
      return NARROWING_FLAGS[query.flag] ?? null
    case 'text':
    case 'bounds':
      return NARROWING[query.field] ?? null
    default:
      return null
  }
}

// Words that a delivery must contain for a JSON condition to be true: those of its keys and strings, and the digits of its numbers.
// Only deliveries with all of them, or that aren't completely indexed, are parsed.

/** As JSON prints numbers without an exponent; trailing zeros of a fraction don't matter. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d*))?$/

/** Null: no word helps. */
function ofText(text: string): string | null {
  const words = splitWords(text)
  return words.length === 0 ? null : phraseOf(words, false)
}

/** 12.5 may be printed as 12.50, so a fraction is only a prefix; 4001 and 4001.0 both have the word 4001. */
function ofNumber(text: string): string | null {
  const [, whole, fraction = ''] = PLAIN_NUMBER.exec(text) ?? []
  if (whole === undefined) return null
  const digits = fraction.replace(/(?<!0)0+$/, '')
  const words = splitWords(`${whole} ${digits}`)
  const expression = matchExpression({ words, prefix: digits !== '' })
  return `(${expression} OR "${EXPONENT}")`
}

function ofTest(test: JsonTest): string | null {
  if (test.kind === 'string') return ofText(test.text)
  if (test.kind !== 'value' || test.pattern.length !== 1) return null
  const [text = ''] = test.pattern
  const asText = ofText(text)
  if (!isDecimal(text) || asText === null) return asText
  const asNumber = ofNumber(text)
  return asNumber === null ? null : `(${asText} OR ${asNumber})`
}

function ofValue(value: unknown): (string | null)[] {
  if (typeof value === 'string') return [ofText(value)]
  // A number that a double can't represent has already changed.
  if (typeof value === 'number')
    return [Number.isSafeInteger(value) ? ofNumber(String(value)) : null]
  if (Array.isArray(value)) return value.flatMap(ofValue)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [ofText(key), ...ofValue(inner)])
  return [ofText(String(value))]
}

/** More words of a large object hardly narrow it down. */
const MOST_WORDS = 64

/** An expression for FTS5's MATCH; null if the words don't help. */
export function wordsOfJson(
  predicate: Extract<Predicate, { readonly kind: 'json' | 'contains' }>,
): string | null {
  const words =
    predicate.kind === 'contains'
      ? ofValue(JSON.parse(predicate.json))
      : [
          ...predicate.path.map((step) => (typeof step === 'string' ? ofText(step) : null)),
          ofTest(predicate.test),
        ]
  const known = [...new Set(words.filter((one) => one !== null))].slice(0, MOST_WORDS)
  return known.length === 0 ? null : `((${known.join(' AND ')}) OR "${LARGER}")`
}

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
  /** How the index is used, if the caller has planned it. */
  readonly plan?: Plan
  /** Skips parts of the index that have no delivery of these times, in milliseconds; the caller checks each delivery. */
  readonly since?: number
  readonly until?: number
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
  { query: listed, from, to = 1, plan, ...asked }: MatchesInput,
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
    const { match, rest, ...times } = plan ?? searchPlan(db, query)
    if (match === null) return []
    const bounded = within(db, range, {
      since: Math.max(times.since, asked.since ?? times.since),
      until: Math.min(times.until, asked.until ?? times.until),
    })
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

export interface FindInput extends Pick<MatchesInput, 'query' | 'from' | 'to'> {
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

/** As many, if each is examined for its words. */
const PLAIN_SPAN = 4_096

/** A short prefix is common if at least one of so many deliveries has it, among those examined first. */
const COMMON_SHARE = 16
const EXAMINED_FIRST = 512

/** Whether so many deliveries of a range have the words that examining them one by one finds matches soon. */
function isCommon(db: ReadableDb, wanted: WantedWords, { from, to }: Range): boolean {
  const { sql, values } = whereOf({ kind: 'words', wanted, within: 'everything' })
  const found = valuesOf<number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.seq BETWEEN ? AND ? AND ${stillWanted('d.seq')} AND ${sql} LIMIT ?)`,
  ).get(to, from, ...values, EXAMINED_FIRST / COMMON_SHARE)
  return found === EXAMINED_FIRST / COMMON_SHARE
}

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
    const seqs: number[] = []
    if (low > high) return { seqs, next: null, newest }
    const first = (span: number) =>
      up
        ? { from: Math.min(high, low + span - 1), to: low }
        : { from: high, to: Math.max(low, high - span + 1) }
    const asked = splitListed(query).query
    const indexed = indexedSeq(db)
    const plain = shortPrefixesOf(asked).filter((wanted) =>
      isCommon(db, wanted, first(EXAMINED_FIRST)),
    )
    const plan = indexed === 0 ? undefined : searchPlan(db, asked, plain)
    // The index alone finds matches wherever they are; other deliveries are examined in spans.
    const isFound = plan?.match !== undefined && plan.rest === undefined && high - indexed < SPAN
    const range = isFound ? { from: high, to: low } : first(plain.length > 0 ? PLAIN_SPAN : SPAN)
    const parts = matchesOf(db, { query, ...range, ...(plan && { plan }) })
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
