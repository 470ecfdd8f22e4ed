/** Reads the search language: `event:transaction.* is:invalid "coffee bar" -is:stale`. */
import { AppError } from '../contract/errors.ts'
import { STATES, type Query, type State, type Term } from './query.ts'

/** Where a query stops making sense: `details` of the `INVALID_QUERY` error. */
export interface QueryProblem {
  /** Index of the character, from 0. */
  readonly at: number
  /** What could stand there instead. */
  readonly suggestions: readonly string[]
}

function problem(text: string, at: number, sentence: string, suggestions: readonly string[]): AppError {
  const pointer = `${text}\n${' '.repeat(at)}^`
  return new AppError('INVALID_QUERY', `${sentence} (at character ${at + 1})`, { details: { at, suggestions, pointer } })
}

/** Suggests those of `known` that start like `given`, or all of them. */
function suggest(given: string, known: readonly string[]): readonly string[] {
  const close = known.filter((name) => name.startsWith(given.slice(0, 2)))
  return close.length > 0 ? close : known
}

interface Word {
  readonly at: number
  readonly negated: boolean
  /** The name before the colon, where there is one outside quotes. */
  readonly field: string | null
  readonly value: string
  readonly valueAt: number
}

const FIELDS = ['event', 'is'] as const
const FIELD = /^([A-Za-z]+):/

function readQuoted(text: string, start: number): { value: string; end: number } {
  let value = ''
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index]!
    if (character === '"') return { value, end: index + 1 }
    if (character === '\\' && index + 1 < text.length) value += text[++index]!
    else value += character
  }
  throw problem(text, start, 'This quote is never closed.', ['"'])
}

function readBare(text: string, start: number): { value: string; end: number } {
  let end = start
  while (end < text.length && !/\s/.test(text[end]!)) end++
  return { value: text.slice(start, end), end }
}

function readWords(text: string): Word[] {
  const words: Word[] = []
  let index = 0
  while (index < text.length) {
    if (/\s/.test(text[index]!)) {
      index++
      continue
    }
    const at = index
    const negated = text[index] === '-' && index + 1 < text.length && !/\s/.test(text[index + 1]!)
    if (negated) index++
    const name = FIELD.exec(text.slice(index))?.[1]?.toLowerCase()
    const field = name !== undefined && FIELDS.some((known) => known === name) ? name : null
    const valueAt = field === null ? index : index + field.length + 1
    const { value, end } = text[valueAt] === '"' ? readQuoted(text, valueAt) : readBare(text, valueAt)
    words.push({ at, negated, field, value, valueAt })
    index = end
  }
  return words
}

/** Parses a query; the empty one is everything. Throws `INVALID_QUERY` with a `QueryProblem` as details. */
export function parseQuery(text: string): Query {
  const terms = readWords(text).map((word): Term => {
    const { negated, value } = word
    if (word.field === null) return { kind: 'text', text: value, negated }
    if (value === '')
      throw problem(text, word.valueAt, `"${word.field}:" needs a value.`, word.field === 'is' ? STATES : ['transaction.*'])
    if (word.field === 'event') return { kind: 'event', pattern: value, negated }
    const state = STATES.find((known) => known === value.toLowerCase())
    if (state === undefined) {
      const known = suggest(value, STATES)
      throw problem(text, word.valueAt, `"is:" does not know "${value}"; try ${known.join(', ')}.`, known)
    }
    return { kind: 'is', state, negated }
  })
  return { terms: terms.filter((term) => term.kind !== 'text' || term.text !== '') }
}

function quote(text: string): string {
  return /^[^\s"\\:-][^\s"\\:]*$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** Writes a query as text that parses to the same query. */
export function printQuery(query: Query): string {
  return query.terms
    .map((term) => {
      const sign = term.negated ? '-' : ''
      if (term.kind === 'text') return sign + quote(term.text)
      return `${sign}${term.kind}:${term.kind === 'is' ? (term.state satisfies State) : quote(term.pattern)}`
    })
    .join(' ')
}
