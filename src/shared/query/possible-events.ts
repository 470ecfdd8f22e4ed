/**
 * Which `event:` terms also match possible events: deliveries that several events fit and whose event nothing identifies.
 * `meaning.ts` reads `event:` as an identified event. A list shows the possible ones too. Forward routes, `wait` and deletion
 * act on every match, so they include possible events only if `is:possible` is next to the term.
 */
import type { Query } from './query.ts'

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
