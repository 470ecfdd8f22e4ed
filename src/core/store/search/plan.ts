/**
 * What the index can do for a query: an expression that holds for every delivery that the query finds, and what is left to be
 * asked of each of those. A field is known to the index where its condition reads columns of facts and nothing else; the
 * condition itself is asked of the sets of facts there are, so a field means the same with the index and without.
 */
import type { Predicate, Query, JsonTest } from '../../../shared/query/query.ts'
import { matchExpression, type WantedWords, splitWords } from '../../../shared/query/words.ts'
import type { ReadableDb } from '../open.ts'
import { whereOf } from '../query-sql.ts'
import { rowStatement } from '../statements.ts'
import {
  EVERY_DELIVERY,
  FACT_COLUMNS,
  factWord,
  VALUE_COLUMNS,
  type FactColumn,
  type FactRow,
  EXPONENT,
  LARGER,
} from './facts.ts'
import { isDecimal } from '../../../shared/query/decimal.ts'

export interface Plan {
  /** For FTS5's MATCH; null where no indexed delivery can fit. Undefined: the index does not narrow it down. */
  readonly match: string | null | undefined
  /** What is left to be asked of each delivery that matches; undefined: nothing. */
  readonly rest: Query | undefined
  /** Milliseconds since the epoch between which a delivery that fits was received. */
  readonly since: number
  readonly until: number
}

/** What planning looks at. */
interface Planning {
  readonly db: ReadableDb
  /** Leaves words that only begin so shortly to be asked of each delivery. */
  readonly plainly: boolean
}

interface Narrowed {
  readonly match: string | null
  /** Whether it holds for no other delivery. */
  readonly exact: boolean
}

const COLUMN = /\bd\.([a-z_0-9]+)/g
/** Reads a table: the elements of a column itself are none. */
const TABLE = /\bFROM\b(?! json_each\()/i

/** The columns of facts that a condition reads; null where it reads anything else, or no column. */
function factColumnsOf(sql: string, kind: Predicate['kind']): readonly FactColumn[] | null {
  const columns = [...new Set(Array.from(sql.matchAll(COLUMN), ([, column]) => column))]
  if (columns.length === 0 || TABLE.test(sql)) return null
  // Of the presence columns the index knows only whether there is a value, which is all that a flag asks for.
  const readable: readonly FactColumn[] = kind === 'flag' ? FACT_COLUMNS : VALUE_COLUMNS
  const known = columns.flatMap((column) => readable.find((one) => one === column) ?? [])
  return known.length === columns.length ? known : null
}

/** `negated`: of the deliveries that do not fit. */
function narrowFact(db: ReadableDb, predicate: Predicate, negated: boolean): Narrowed | undefined {
  const { sql, values } = whereOf(predicate)
  const columns = factColumnsOf(sql, predicate.kind)
  if (columns === null) return undefined
  const facts = rowStatement<FactRow>(
    db,
    `SELECT DISTINCT ${columns.map((column) => `d.${column}`).join(', ')} FROM search.fact_sets d WHERE coalesce(${sql}, 0) = ${negated ? 0 : 1}`,
  ).all(...values)
  const matches = facts.map((row) => columns.map((column) => `"${factWord(column, row[column])}"`).join(' AND '))
  return { match: matches.length === 0 ? null : `(${matches.map((match) => `(${match})`).join(' OR ')})`, exact: true }
}

/** Begun words of so many characters are gathered from a good part of a partition's words, before the first delivery is given. */
const SHORT_LETTERS = 2

function isShort({ words, prefix }: WantedWords): boolean {
  return prefix && (words.at(-1) ?? '').length <= SHORT_LETTERS
}

/**
 * How many characters words begin with that only begin so shortly that the index takes long to say the first delivery that has them;
 * the least of them, and null where there is none. Mostly nearly all deliveries have such words.
 */
export function shortestBegun(query: Query): number | null {
  switch (query.kind) {
    case 'not':
      return shortestBegun(query.of)
    case 'all':
    case 'any': {
      const lengths = query.of.map(shortestBegun).filter((length) => length !== null)
      return lengths.length === 0 ? null : Math.min(...lengths)
    }
    case 'words':
      return isShort(query.wanted) ? (query.wanted.words.at(-1) ?? '').length : null
    default:
      return null
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
  return { match: matches.length === 0 ? null : `(${matches.join(' OR ')})`, exact: known.every(({ exact }) => exact) }
}

function narrow(planning: Planning, query: Query, negated: boolean): Narrowed | undefined {
  switch (query.kind) {
    case 'not':
      return narrow(planning, query.of, !negated)
    case 'all':
    case 'any': {
      if (query.of.length === 0)
        return (query.kind === 'all') === negated ? { match: null, exact: true } : { match: `"${EVERY_DELIVERY}"`, exact: true }
      const parts = query.of.map((part) => narrow(planning, part, negated))
      return (query.kind === 'all') === negated ? some(parts) : every(parts)
    }
    case 'words': {
      if (planning.plainly && isShort(query.wanted)) return undefined
      // What stands in the body stands in the delivery; that it does not is nothing to go by.
      const exact = query.within === 'everything'
      if (!negated) return { match: matchExpression(query.wanted), exact }
      return exact ? { match: `("${EVERY_DELIVERY}" NOT ${matchExpression(query.wanted)})`, exact } : undefined
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

/** The times that a query allows, as far as it says so in one place that must hold. */
function timesOf(query: Query): { since: number; until: number } {
  const all = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  if (query.kind === 'all')
    return query.of
      .map(timesOf)
      .reduce(
        (before, times) => ({ since: Math.max(before.since, times.since), until: Math.min(before.until, times.until) }),
        all,
      )
  if (query.kind !== 'bounds' || !/^d\.received_at\b/.test(whereOf(query).sql.replace(/^\(+/, ''))) return all
  return query.bounds.reduce(
    ({ since, until }, { operator, value }) =>
      operator.startsWith('>') ? { since: Math.max(since, value), until } : { since, until: Math.min(until, value) },
    all,
  )
}

/**
 * Plans a query over a connection that has the index attached as `search`. `plainly`: words that only begin shortly are left to be
 * asked of each delivery.
 */
export function searchPlan(db: ReadableDb, query: Query, plainly = false): Plan {
  const parts = query.kind === 'all' ? query.of : [query]
  const narrowed = parts.map((part) => narrow({ db, plainly }, part, false))
  const left = parts.filter((_, index) => narrowed[index]?.exact !== true)
  return {
    match: parts.length === 0 ? `"${EVERY_DELIVERY}"` : every(narrowed)?.match,
    rest: left.length === 0 ? undefined : { kind: 'all', of: left },
    ...timesOf(query),
  }
}

// Words that a delivery must contain for a question about its JSON to hold: those of its keys and texts, and the digits of its
// numbers. Only deliveries with all of them, and those not completely indexed, are parsed.

/** As JSON writes numbers without an exponent; the zeros at the end of a fraction say nothing. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d*?)0*)?$/

/** Null: nothing to go by. */
function ofText(text: string): string | null {
  const words = splitWords(text)
  return words.length === 0 ? null : matchExpression({ words, prefix: false })
}

/** 12.5 may stand there as 12.50, so that a fraction is only begun by its digits; 4001 and 4001.0 both have the word 4001. */
function ofNumber(text: string): string | null {
  const [, whole, fraction = ''] = PLAIN_NUMBER.exec(text) ?? []
  if (whole === undefined) return null
  const words = splitWords(`${whole} ${fraction}`)
  const digits = matchExpression({ words, prefix: fraction !== '' })
  return `(${digits} OR "${EXPONENT}")`
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
  // A number that a double does not hold is another one by now.
  if (typeof value === 'number') return [Number.isSafeInteger(value) ? ofNumber(String(value)) : null]
  if (Array.isArray(value)) return value.flatMap(ofValue)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [ofText(key), ...ofValue(inner)])
  return [ofText(String(value))]
}

/** An expression for FTS5's MATCH; null where the words say nothing. */
export function wordsOfJson(predicate: Extract<Predicate, { readonly kind: 'json' | 'contains' }>): string | null {
  const words =
    predicate.kind === 'contains'
      ? ofValue(JSON.parse(predicate.json))
      : [...predicate.path.map((step) => (typeof step === 'string' ? ofText(step) : null)), ofTest(predicate.test)]
  const known = [...new Set(words.filter((one) => one !== null))]
  return known.length === 0 ? null : `((${known.join(' AND ')}) OR "${LARGER}")`
}
