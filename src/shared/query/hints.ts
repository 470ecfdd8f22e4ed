/** Hints on a valid query that finds nothing. */
import { eventTypes, isEventType } from '../service/event-type.ts'
import { isNumberField, shownTopLevelKeys } from '../service/payload-schemas.ts'
import { isDecimal } from './decimal.ts'
import type { Expression, Item } from './expression.ts'
import { flagQuery } from './flag-words.ts'
import { parseBounds } from './interpretation.ts'
import { printPath } from './term-name.ts'
import { parsePieces, parseQuery } from './parse.ts'
import { likelyNames } from './problem.ts'
import type { Step } from './query.ts'
import { readLength, readTimeSpan } from './search-time.ts'
import { listed } from '../text/english.ts'

type NamedTerm = Extract<Expression, { readonly kind: 'term' }>

interface Hint {
  /** Completes "Countersign read … as". */
  readonly as: string
  readonly part: string
  readonly instead: string
}

const OPERATOR = /^(?:or|and|not)$/i
const STATUS = /^[1-5]\d\d$/
const eventParts = new Set(eventTypes.flatMap((event) => event.split('.')))

/** Returns the term that a word probably stands for. */
function termForWord(word: string): string | null {
  const lower = word.toLowerCase()
  if (OPERATOR.test(word)) return word.toUpperCase()
  if (flagQuery('is', lower) !== null) return `is:${lower}`
  if (readLength(word) !== null) return `after:${word}`
  if (readTimeSpan(word, 0) !== null) return `received:${word}`
  if (STATUS.test(word)) return `status:${word}`
  if (isEventType(lower)) return `event:${lower}`
  const part = [lower, lower.replace(/s$/, '')].find((singular) => eventParts.has(singular))
  return part === undefined ? null : `event:*${part}*`
}

function isTextValue(item: Item): boolean {
  const values = parseBounds(item)?.map(({ value }) => value) ?? [item.text]
  return !item.quoted && values.some((value) => !isDecimal(value) && !/^null$|\*/.test(value))
}

function hintOnPath(steps: readonly Step[], items: readonly Item[], text: string): Hint | null {
  const [first] = steps
  if (typeof first !== 'string' || text.startsWith('$')) return null
  if (!shownTopLevelKeys.has(first)) {
    const [likely] = likelyNames(first, [...shownTopLevelKeys])
    const instead = likely === undefined ? JSON.stringify(text) : likely + text.slice(first.length)
    return { as: 'a field of the body', part: first, instead }
  }
  const item = items.find(isTextValue)
  if (item === undefined || !isNumberField(steps)) return null
  const operator = /^[<>]=?/.exec(item.text)?.[0] ?? ''
  return {
    as: 'text, not as a number',
    part: item.text,
    instead: `${printPath(steps)}:${operator}100`,
  }
}

function hintOnTerm({ name, items }: NamedTerm, text: string): Hint | null {
  if (name.kind === 'path') return hintOnPath(name.steps, items, text)
  const event = items.length === 1 ? items[0]?.text : undefined
  if (event === undefined || name.kind !== 'field' || name.field !== 'event') return null
  const [likely] = likelyNames(event, eventTypes)
  return likely === undefined || likely === event
    ? null
    : { as: 'an unknown event', part: event, instead: `event:${likely}` }
}

function hintOnWord(text: string): Hint | null {
  const instead = text.startsWith('"') ? null : termForWord(text)
  return instead === null ? null : { as: 'text', part: text, instead }
}

function isReadable(query: string): boolean {
  try {
    parseQuery(query)
    return true
  } catch {
    return false
  }
}

/** Explains how unusual terms were read, and what to try. */
export function hintOn(query: string): string | null {
  const hints = parsePieces(query).terms.flatMap(({ from, to, expression }) => {
    const text = query.slice(from, to)
    const hint = expression.kind === 'words' ? hintOnWord(text) : hintOnTerm(expression, text)
    return hint === null ? [] : [{ ...hint, from, to }]
  })
  if (hints.length === 0) return null
  const readings = [...new Set(hints.map(({ as }) => as))].map((as) => {
    const parts = hints.filter((hint) => hint.as === as).map(({ part }) => `"${part}"`)
    return `${listed(parts, 'and')} as ${as}`
  })
  const instead = hints.reduceRight(
    (text, hint) => text.slice(0, hint.from) + hint.instead + text.slice(hint.to),
    query,
  )
  return `Countersign read ${readings.join('; ')}.${isReadable(instead) ? ` Try: ${instead}` : ''}`
}
