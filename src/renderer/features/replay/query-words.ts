import type { Expression } from '../../../shared/query/expression.ts'
import type { FieldName } from '../../../shared/query/fields.ts'
import { parseQuery } from '../../../shared/query/parse.ts'
import { listed } from '../../../shared/text/english.ts'
import { clockTime, dayUnlessToday } from '../../ui/moment.ts'

/** Words before the values of a field; those of fields without words precede "deliveries". */
const prepositions: Partial<Readonly<Record<FieldName, string>>> = {
  verdict: '',
  freshness: '',
  event: '',
  after: 'since',
  before: 'before',
  received: 'of',
  within: 'within',
}

/** Writes `27 Nov 23:41` for an exact time, and other values as they are. */
function valueWords(text: string): string {
  const isTime = text.includes('T') && !Number.isNaN(Date.parse(text))
  return isTime ? `${dayUnlessToday(text) ?? 'today'} ${clockTime(text).slice(0, 5)}` : text
}

/** Returns the terms that must all match; null for a query that no longer parses. */
function termsOf(query: string): readonly (Expression | null)[] {
  try {
    const expression = parseQuery(query)
    return expression.kind === 'all' ? expression.of : [expression]
  } catch {
    return [null]
  }
}

/**
 * Describes the deliveries that match a query, such as `valid card.linked deliveries since 27 Nov
 * 23:41`; quotes the query if it has more than fields.
 */
export function queryWords(query: string): string {
  const terms = termsOf(query)
  const kinds: string[] = []
  const others: string[] = []
  for (const term of terms) {
    if (term?.kind !== 'term' || term.name.kind !== 'field') return `deliveries matching "${query}"`
    const { field } = term.name
    const values = listed(
      term.items.map(({ text }) => valueWords(text)),
      'or',
    )
    const preposition = prepositions[field] ?? `with ${field}`
    if (preposition === '') kinds.push(values)
    else others.push(`${preposition} ${values}`)
  }
  return [...(terms.length === 0 ? ['all'] : kinds), 'deliveries', ...others].join(' ')
}
