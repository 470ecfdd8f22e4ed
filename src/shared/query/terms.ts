/** Builds and combines queries: a term from a value, a query with a term added or negated, and its time span. */
import type { Expression } from './expression.ts'
import type { FieldName } from './fields.ts'
import { parsePieces, parseQuery, type QueryPiece } from './parse.ts'

/** Values that mean the same with and without quotes. */
const PLAIN = /^\/?[\p{L}\p{N}][\p{L}\p{N}_/-]*(?:\.[\p{L}\p{N}_/-]+)*$/u
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** A term that finds exactly this value: `event:card.linked`, `path:"/h/a b"`. */
export function termOf(name: string, value: string): string {
  return `${name}:${PLAIN.test(value) || NUMBER.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`}`
}

export function negated(term: string): string {
  return term.startsWith('-') ? term.slice(1) : `-${term}`
}

interface Part extends QueryPiece {
  readonly text: string
  readonly expression: Expression
}

/** The top-level terms of a query that all must match; null if it can't be parsed or is an alternative. */
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

export function bothOf(one: string, other: string): string {
  const group = (query: string) => {
    const text = query.trim()
    return text === '' || partsOf(text) !== null ? text : `(${text})`
  }
  return `${group(one)} ${group(other)}`.trim()
}

/** Fields of which one delivery can match several terms. */
const SEVERAL: ReadonlySet<string> = new Set<FieldName>(['is', 'has', 'header', 'body', 'note'])

/** What a term compares; null if another term for the same can match too. */
function comparedBy(expression: Expression): string | null {
  if (
    expression.kind !== 'term' ||
    (expression.name.kind === 'field' && SEVERAL.has(expression.name.field))
  )
    return null
  return JSON.stringify(expression.name)
}

/**
 * The query narrowed by a term. A term for the same field is replaced, because two values of one field find nothing; so is the
 * term's opposite. A query that can't be parsed is replaced as a whole.
 */
export function narrowed(query: string, term: string): string {
  const text = query.trim()
  try {
    parseQuery(text)
  } catch {
    return term
  }
  const name = comparedBy(parseQuery(term))
  const opposite = negated(term)
  const kept = partsOf(text)?.filter(
    (part) =>
      part.text !== term &&
      part.text !== opposite &&
      (name === null || comparedBy(part.expression) !== name),
  )
  return kept === undefined
    ? bothOf(text, term)
    : [...kept.map((part) => part.text), term].join(' ')
}

/** Whether a term is a limit of the time span, as dragging over the timeline sets it. */
const SPAN = /^(?:after|before|received):/i

/** The time span of a query: its top-level `after:`, `before:` and `received:`. */
export function spanOf(query: string): string {
  return (partsOf(query) ?? [])
    .filter(({ text }) => SPAN.test(text))
    .map(({ text }) => text)
    .join(' ')
}

/** A view's query within the time span of the current one, unless the view has its own. */
export function inSpanOf(view: string, current: string): string {
  return spanOf(view) === '' && !/(?:^|\s)within:/i.test(view)
    ? bothOf(view, spanOf(current))
    : view
}
