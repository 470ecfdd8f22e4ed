import type { Expression } from '../../../shared/query/expression.ts'
import type { FieldName } from '../../../shared/query/fields.ts'
import { parseQuery } from '../../../shared/query/parse.ts'
import { listed } from '../../../shared/text/english.ts'
import { clockTime, dayUnlessToday } from '../../ui/moment.ts'

/** Words before the values of a field, if not its name. */
const prepositions: Partial<Readonly<Record<FieldName, string>>> = {
  ...{ verdict: '', freshness: '', event: '' },
  ...{ after: 'since', received: 'of' },
}

/** Writes `27 Nov 23:41` for an exact time, and other values unchanged. */
function valueWords(text: string): string {
  const isTime = text.includes('T') && !Number.isNaN(Date.parse(text))
  return isTime ? `${dayUnlessToday(text) ?? 'today'} ${clockTime(text).slice(0, 5)}` : text
}

/** Describes a term of a field; null for another expression. */
function termWords(term: Expression): string | null {
  if (term.kind !== 'term' || term.name.kind !== 'field') return null
  const values = term.items.map(({ text }) => valueWords(text))
  return `${prepositions[term.name.field] ?? term.name.field} ${listed(values, 'or')}`.trim()
}

/** Describes a query: `valid card.linked since 27 Nov 23:41`; quotes one that isn't so plain. */
export function queryWords(query: string): string {
  try {
    const expression = parseQuery(query)
    const words = (expression.kind === 'all' ? expression.of : [expression]).map(termWords)
    if (!words.includes(null)) return words.join(' ') || 'all deliveries'
  } catch {
    // An earlier version accepted it.
  }
  return `matching "${query}"`
}
