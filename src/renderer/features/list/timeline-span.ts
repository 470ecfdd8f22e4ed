/** The span of time in a query. */
import { localStamp } from '../../../shared/text/time-text.ts'
import { parsePieces, type Parsed } from '../../../shared/query/parse.ts'
import { readTimeSpan } from '../../../shared/query/search-time.ts'

/** Selected span of time; null is an open end. */
export interface TimelineSpan {
  readonly from: number | null
  readonly to: number | null
}

export interface SplitQuery {
  /** Query without `after:` and `before:`. */
  readonly rest: string
  /** Span of the query; null if it has neither term. */
  readonly span: TimelineSpan | null
}

const SPAN_TERM = /^(after|before):(\S+)$/i

function tryParse(query: string): Parsed | null {
  try {
    return parsePieces(query)
  } catch {
    return null
  }
}

/** Puts alternatives of a query in parentheses, so that other terms can follow. */
function withParentheses(query: string): string {
  if (tryParse(query)?.expression.kind !== 'any') return query
  return query.startsWith('(') && tryParse(query.slice(1, -1)) !== null ? query : `(${query})`
}

/** Separates the span from the rest of a query, which keeps alternatives and negations. */
export function splitQuery(query: string, now: number): SplitQuery {
  const pieces = tryParse(query)?.pieces
  if (pieces === undefined) return { rest: query, span: null }
  let from: number | null = null
  let to: number | null = null
  const rest: string[] = []
  for (const piece of pieces) {
    const text = query.slice(piece.from, piece.to)
    const [, field = '', value = ''] = SPAN_TERM.exec(text) ?? []
    const time = value === '' ? null : readTimeSpan(value, now)
    if (time === null) rest.push(text)
    else if (field.toLowerCase() === 'after') from = Math.max(from ?? 0, time.from)
    else to = Math.min(to ?? Number.POSITIVE_INFINITY, time.from)
  }
  return { rest: rest.join(' '), span: from === null && to === null ? null : { from, to } }
}

export const minuteText = (date: Date) => localStamp(date).slice(11, 16)

/** Returns a full minute for a query, without the date if it is today. */
export function writtenMinute(time: number, now: number): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return localStamp(date).slice(isToday ? 11 : 0, 16)
}

/** Replaces the span of a query; one that ends now has `after:` only. */
export function withSpan(query: string, { from, to }: TimelineSpan, now: number): string {
  const { rest } = splitQuery(query, now)
  const terms = [
    withParentheses(rest),
    from === null ? '' : `after:${writtenMinute(from, now)}`,
    to === null ? '' : `before:${writtenMinute(to, now)}`,
  ]
  return terms.filter((term) => term !== '').join(' ')
}

/** Formats a span, such as "14:12 – now". */
export function shownSpan({ from, to }: TimelineSpan, now: number): string {
  const text = (time: number) => writtenMinute(time, now).replace('T', ' ')
  return `${from === null ? 'start' : text(from)} – ${to === null ? 'now' : text(to)}`
}
