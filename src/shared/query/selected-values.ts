/** Tests of the values that a query names. */
import type { Expression } from './expression.ts'
import type { FieldName } from './fields.ts'
import type { Query } from './query.ts'
import { NOT_OF_FLOWS } from './flow-runs.ts'
import { parseQuery } from './parse.ts'

/** Whether a value of any field passes a test. */
function someValue(
  query: Expression,
  passes: (field: FieldName, value: string, isExcluded: boolean) => boolean,
  isExcluded = false,
): boolean {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.some((part) => someValue(part, passes, isExcluded))
    case 'not':
      return someValue(query.of, passes, !isExcluded)
    case 'term': {
      const { name, items } = query
      return name.kind === 'field' && items.some(({ text }) => passes(name.field, text, isExcluded))
    }
    default:
      return false
  }
}

/** Whether a query selects deliveries of flow runs, or names a delivery or hook. */
export function namesFlowRuns(query: Expression): boolean {
  return someValue(query, (field, value, isExcluded) =>
    field === 'is'
      ? /^(?:flow|any)$/i.test(value)
      : field === 'flow' || (!isExcluded && (field === 'id' || field === 'hook')),
  )
}

/** Whether a query asks for unverified deliveries, or for one by ID. */
export function asksForUnverified(query: Expression): boolean {
  return someValue(query, (field, value, isExcluded) => {
    if (field !== 'is' && field !== 'verdict') return field === 'id' && !isExcluded
    return (isExcluded ? /^valid$/i : /^(?:invalid|unsigned|unknown-hook|possible)$/i).test(value)
  })
}

/** Leaves out flow runs, unless the query names them. */
export function listQuery(text: string, query: Query): Query {
  return namesFlowRuns(parseQuery(text)) ? query : { kind: 'all', of: [query, NOT_OF_FLOWS] }
}
