/** Result of interpreting a part of a search, and what all interpretations need. */
import type { Item } from './expression.ts'
import { fieldOf, type FieldName } from './fields.ts'
import type { Mistake } from './problem.ts'
import { COMPARISON_OPERATORS, type Bound, type Query } from './query.ts'

export type Interpretation =
  | { readonly ok: true; readonly query: Query }
  | { readonly ok: false; readonly mistake: Mistake }

export const accept = (query: Query): Interpretation => ({ ok: true, query })
export const reject = (sentence: string, suggestions: readonly string[] = []): Interpretation => ({
  ok: false,
  mistake: { sentence, suggestions },
})

/** Splits `>=5` or `1..9` into limits; null for a plain value. */
export function parseBounds({ quoted, text }: Item): readonly Bound<string>[] | null {
  if (quoted) return null
  const operator = COMPARISON_OPERATORS.toSorted((a, b) => b.length - a.length).find((symbol) =>
    text.startsWith(symbol),
  )
  if (operator !== undefined) return [{ operator, value: text.slice(operator.length) }]
  const cut = text.indexOf('..')
  if (cut === -1) return null
  const bounds: readonly Bound<string>[] = [
    { operator: '>=', value: text.slice(0, cut) },
    { operator: '<=', value: text.slice(cut + '..'.length) },
  ]
  return bounds.filter(({ value }) => value !== '')
}

export function exampleValue(name: FieldName): string {
  return fieldOf(name).example.slice(name.length + 1)
}
