/** Times of a search, as limits of the time of receipt. */
import type { Item } from './expression.ts'
import { fieldOf, type FieldName, type SearchField } from './fields.ts'
import { accept, exampleValue, parseBounds, reject, type Interpretation } from './interpretation.ts'
import type { Bound, Operator } from './query.ts'
import { readLength, readTimeSpan, type TimeSpan } from './search-time.ts'

export function interpretTime(
  name: FieldName,
  { relation }: Extract<SearchField, { kind: 'time' }>,
  item: Item,
  now: number,
): Interpretation {
  const from = (value: number): Bound<number> => ({ operator: '>=', value })
  const until = (value: number): Bound<number> => ({ operator: '<', value })
  const between = (...bounds: readonly Bound<number>[]) =>
    accept({ kind: 'bounds', field: 'received', bounds })
  const unreadable = () =>
    reject(
      `"${item.text}" isn't a value of ${name}:. Expected ${relation === 'within' ? 'a duration such as 10m or 2h' : 'a time such as 2026-11-20, 14:03 or 2h'}.`,
      [exampleValue(name)],
    )
  if (relation === 'within') {
    const length = readLength(item.text)
    return length === null ? unreadable() : between(from(now - length))
  }
  const limit = (operator: Operator, { from: start, to: end }: TimeSpan) => {
    if (operator === '>') return from(end)
    if (operator === '>=') return from(start)
    return until(operator === '<' ? start : end)
  }
  const limits = relation === 'at' ? parseBounds(item) : null
  if (limits === null) {
    const span = readTimeSpan(item.text, now)
    if (span === null) return unreadable()
    if (relation === 'after') return between(from(span.from))
    if (relation === 'before') return between(until(span.from))
    return between(from(span.from), until(span.to))
  }
  const bounds = limits.map(({ operator, value }) => {
    const span = readTimeSpan(value, now)
    return span === null ? null : limit(operator, span)
  })
  if (bounds.length === 0 || bounds.includes(null)) return unreadable()
  return between(...(bounds as readonly Bound<number>[]))
}

/** Writes a time in UTC; null for a duration up to now. */
export function timeInUtc(name: FieldName, item: Item, now: number): string | null {
  const field = fieldOf(name)
  if (field.kind !== 'time' || field.relation === 'within') return null
  const interpretation = interpretTime(name, field, item, now)
  if (!interpretation.ok || interpretation.query.kind !== 'bounds') return null
  const at = (time: number) => new Date(time).toISOString()
  const [first, end] = interpretation.query.bounds
  if (first === undefined) return null
  // A millisecond is a period too.
  if (end !== undefined) return `${at(first.value)}..${at(end.value - 1)}`
  return field.relation === 'at' ? first.operator + at(first.value) : at(first.value)
}
