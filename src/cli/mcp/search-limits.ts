/**
 * Checks searches of tools: a search for the beginning of a hidden value could reveal it letter by
 * letter.
 */
import { interpretExpression } from '../../shared/query/interpret.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import { isDecimal } from '../../shared/query/decimal.ts'
import type { JsonTest, Query } from '../../shared/query/query.ts'
import { UsageError } from '../context.ts'

const testsPart = (test: JsonTest) =>
  (test.kind === 'value' && test.pattern.length > 1) ||
  (test.kind === 'bounds' &&
    !test.bounds.every(({ value }) => isDecimal(value) && value.replaceAll(/\D/g, '').length <= 3))

/** Whether a search compares text that may be hidden: headers, bodies, paths and notes. */
function readsHidden(query: Query): boolean {
  switch (query.kind) {
    case 'all':
      return query.of.some(readsHidden)
    case 'any':
      // A part of a hook's name has no fields.
      return query.of.length === 0 || query.of.some(readsHidden)
    case 'not':
      return readsHidden(query.of)
    case 'words':
    case 'contains':
      return true
    case 'header':
      return query.value !== null || query.name.length > 1
    case 'json':
      return testsPart(query.test)
    case 'text':
      return query.field !== 'event' && query.pattern.length > 1
    default:
      return false
  }
}

/**
 * Throws `INVALID_QUERY` if the query can't be read, and `UsageError` if it could reveal masked
 * text.
 */
export function checkSearch(query: string): void {
  if (readsHidden(interpretExpression(parseQuery(query), { now: 0, hooks: [] })))
    throw new UsageError(
      'Tools search by fields with whole values, because a search for parts could reveal hidden ones. Numbers have up to three digits. Use for example event:transaction.*, is:invalid, amount:<0 or card.lastNumbers:4001.',
    )
}
