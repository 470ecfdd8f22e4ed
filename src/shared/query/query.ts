/**
 * The meaning of a search as data: values are parsed, times are moments, hooks are ids. The store
 * translates it to SQL. Its written form is in `expression.ts`.
 */
import type { FieldName } from './fields.ts'
import type { FlagName } from './flags.ts'
import type { WantedWords } from './words.ts'

// Which `event:` terms also match possible events: deliveries that several events fit and whose event nothing identifies.
// `meaning.ts` reads `event:` as an identified event. A list shows the possible ones too. Forward routes, `wait` and deletion
// act on every match, so they include possible events only if `is:possible` is next to the term.

/** Every `event:` also matches possible events. */
export function withPossibleEvents(query: Query): Query {
  switch (query.kind) {
    case 'all':
    case 'any':
      return { ...query, of: query.of.map(withPossibleEvents) }
    case 'not':
      return { ...query, of: withPossibleEvents(query.of) }
    case 'text':
      return query.field === 'event'
        ? { kind: 'any', of: [query, { kind: 'possible-event', pattern: query.pattern }] }
        : query
    default:
      return query
  }
}

/**
 * Only an `event:` beside `is:possible`, or an excluded one, also matches possible events: `-event:X` leaves out what may be X.
 * So every match here is also in the list of the same search.
 */
export function withAskedPossibleEvents(query: Query, isExcluded = false): Query {
  switch (query.kind) {
    case 'all':
      return query.of.some((part) => part.kind === 'flag' && part.flag === 'is:possible')
        ? withPossibleEvents(query)
        : { ...query, of: query.of.map((part) => withAskedPossibleEvents(part, isExcluded)) }
    case 'any':
      return { ...query, of: query.of.map((part) => withAskedPossibleEvents(part, isExcluded)) }
    case 'not':
      return { ...query, of: withAskedPossibleEvents(query.of, !isExcluded) }
    case 'text':
      return isExcluded ? withPossibleEvents(query) : query
    default:
      return query
  }
}

export const isEverything = (query: Query): boolean => query.kind === 'all' && query.of.length === 0

// Lists leave out deliveries of flow runs, unless the query names them.

export const NOT_OF_FLOWS: Query = { kind: 'not', of: { kind: 'flag', flag: 'is:flow' } }

/** Splits off `NOT_OF_FLOWS`: it needs only the seq, so a search checks it without reading the delivery. */
export function splitListed(query: Query): { readonly query: Query; readonly hidesFlows: boolean } {
  if (query.kind === 'not' && query.of.kind === 'flag' && query.of.flag === 'is:flow')
    return { query: EVERYTHING, hidesFlows: true }
  if (query.kind !== 'all') return { query, hidesFlows: false }
  const parts = query.of.map(splitListed)
  const of = parts.flatMap((part) => (part.query.kind === 'all' ? part.query.of : [part.query]))
  return {
    query: of.length === 1 ? of[0]! : { kind: 'all', of },
    hidesFlows: parts.some(({ hidesFlows }) => hidesFlows),
  }
}

/** A text with `*` for any characters, split at the stars; a single part has no star. */
export type Pattern = readonly string[]

/** An object key or an array index. */
export type Step = string | number

export const OPERATORS = ['<', '<=', '>', '>='] as const
export type Operator = (typeof OPERATORS)[number]

/** Limits of a number; an exact number is both of its limits. */
export interface Bound<Value> {
  readonly operator: Operator
  readonly value: Value
}

/** A test of a value in a JSON body. Numbers are decimal text, so that all are exact. */
export type JsonTest =
  /** Any value. */
  | { readonly kind: 'present' }
  /** A text that matches the pattern, a number equal to it, or the word `true`, `false` or `null` itself. */
  | { readonly kind: 'value'; readonly pattern: Pattern }
  /** Exactly this text, case-sensitive. */
  | { readonly kind: 'string'; readonly text: string }
  /** Within limits: compared as numbers if the limits are numbers, otherwise as text. */
  | { readonly kind: 'bounds'; readonly bounds: readonly Bound<string>[] }

export type Predicate =
  | { readonly kind: 'text'; readonly field: FieldName; readonly pattern: Pattern }
  /** The event is not identified, and one of the candidates matches the pattern. */
  | { readonly kind: 'possible-event'; readonly pattern: Pattern }
  | { readonly kind: 'one-of'; readonly field: FieldName; readonly values: readonly string[] }
  | {
      readonly kind: 'bounds'
      readonly field: FieldName
      readonly bounds: readonly Bound<number>[]
    }
  | { readonly kind: 'flag'; readonly flag: FlagName }
  /** A header with this name (a pattern) has a matching value; null: any value. */
  | { readonly kind: 'header'; readonly name: Pattern; readonly value: Pattern | null }
  | { readonly kind: 'words'; readonly within: 'everything' | 'body'; readonly wanted: WantedWords }
  /** Some value at the path passes the test. Every array element along the way counts. */
  | { readonly kind: 'json'; readonly path: readonly Step[]; readonly test: JsonTest }
  /** The body contains this JSON object. */
  | { readonly kind: 'contains'; readonly json: string }

export type Query =
  | { readonly kind: 'all'; readonly of: readonly Query[] }
  | { readonly kind: 'any'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | Predicate

export const EVERYTHING: Query = { kind: 'all', of: [] }
export const NOTHING: Query = { kind: 'any', of: [] }

// Texts with `*` for any characters.

export function patternOf(text: string): Pattern {
  return text.split('*')
}

/** Latin letters in lower case, as in SQLite's LIKE; all other characters unchanged. */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether the whole text matches: from left to right, each part as early as possible, so that no pattern is slow. */
export function fitsPattern(pattern: Pattern, text: string): boolean {
  const [first = '', ...rest] = pattern
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
