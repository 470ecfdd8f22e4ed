/**
 * Matching of deliveries that several events fit: lists match each of them. Actions match none, to
 * affect too few rather than too many, except beside is:possible; so `-event:x` excludes each.
 */
import type { Query } from './query.ts'

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

/** Extends `event:` only beside `is:possible` or if `isExcluded`, negated. */
export function withExplicitPossibleEvents(query: Query, isExcluded = false): Query {
  switch (query.kind) {
    case 'all':
      return query.of.some((part) => part.kind === 'flag' && part.flag === 'is:possible')
        ? withPossibleEvents(query)
        : { ...query, of: query.of.map((part) => withExplicitPossibleEvents(part, isExcluded)) }
    case 'any':
      return { ...query, of: query.of.map((part) => withExplicitPossibleEvents(part, isExcluded)) }
    case 'not':
      return { ...query, of: withExplicitPossibleEvents(query.of, !isExcluded) }
    case 'text':
      return isExcluded ? withPossibleEvents(query) : query
    default:
      return query
  }
}
