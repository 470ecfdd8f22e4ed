/** Changes of a search as text: narrowing it by a term, joining it with another. */
import type { Expression } from './expression.ts'
import type { FieldName } from './fields.ts'
import { parsePieces, parseQuery, type QueryPiece } from './parse.ts'

/** Value that needs no quotes: `transaction.auth`, `/h/refunds`. */
const PLAIN_VALUE = /^\/?[\p{L}\p{N}][\p{L}\p{N}_/-]*(?:\.[\p{L}\p{N}_/-]+)*$/u
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** Writes a term that finds exactly this value. */
export function termOf(name: string, value: string): string {
  return `${name}:${PLAIN_VALUE.test(value) || NUMBER.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`}`
}

export function negated(term: string): string {
  return term.startsWith('-') ? term.slice(1) : `-${term}`
}

interface Part extends QueryPiece {
  readonly text: string
  readonly expression: Expression
}

/** Returns the terms that must all match; null for an alternative. */
function partsOf(query: string): readonly Part[] | null {
  try {
    const { expression, pieces } = parsePieces(query)
    if (expression.kind === 'any') return null
    return pieces.map(({ from, to }) => {
      const text = query.slice(from, to)
      return { from, to, text, expression: parseQuery(text) }
    })
  } catch {
    return null
  }
}

export function joinQueries(one: string, other: string): string {
  const group = (query: string) => {
    const text = query.trim()
    return text === '' || partsOf(text) !== null ? text : `(${text})`
  }
  return `${group(one)} ${group(other)}`.trim()
}

/** Fields of which a delivery can match several terms. */
const REPEATABLE_FIELDS: ReadonlySet<string> = new Set<FieldName>([
  'is',
  'has',
  'header',
  'body',
  'note',
])

/** Returns a term's name as a key; null if a query can have several terms of it. */
function uniqueNameOf(expression: Expression): string | null {
  if (
    expression.kind !== 'term' ||
    (expression.name.kind === 'field' && REPEATABLE_FIELDS.has(expression.name.field))
  )
    return null
  return JSON.stringify(expression.name)
}

/** Narrows a query by a term, which replaces its opposite and others of its field. */
export function narrowed(query: string, term: string): string {
  const text = query.trim()
  try {
    parseQuery(text)
  } catch {
    return term
  }
  const name = uniqueNameOf(parseQuery(term))
  const opposite = negated(term)
  const kept = partsOf(text)?.filter(
    (part) =>
      part.text !== term &&
      part.text !== opposite &&
      (name === null || uniqueNameOf(part.expression) !== name),
  )
  return kept === undefined
    ? joinQueries(text, term)
    : [...kept.map((part) => part.text), term].join(' ')
}

/** Term that limits the time span. */
const SPAN = /^(?:after|before|received):/i

/** Returns the time span of a query. */
export function spanOf(query: string): string {
  return (partsOf(query) ?? [])
    .filter(({ text }) => SPAN.test(text))
    .map(({ text }) => text)
    .join(' ')
}

/** Adds the current time span to a view, unless it has its own. */
export function withTimeSpanOf(view: string, current: string): string {
  return spanOf(view) === '' && !/(?:^|\s)within:/i.test(view)
    ? joinQueries(view, spanOf(current))
    : view
}
