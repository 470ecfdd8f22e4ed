/** Tests of the values that a query names. */
import type { Expression } from './expression.ts'
import type { FieldName } from './fields.ts'
import type { Query } from './query.ts'
import { parseQuery } from './parse.ts'
import { leaveOut, type UnlistedFlag } from './unlisted.ts'

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

/** Whether a query selects composed requests, or names a delivery. */
function namesComposed(query: Expression): boolean {
  return someValue(query, (field, value, isExcluded) =>
    field === 'is'
      ? /^(?:composed|any)$/i.test(value)
      : field === 'name' ||
        (field === 'has' && /^name$/i.test(value)) ||
        (!isExcluded && field === 'id'),
  )
}

/** Returns the flags of deliveries that the query's list leaves out. */
export function unlistedFlags(query: Expression): UnlistedFlag[] {
  return [
    ...(namesFlowRuns(query) ? [] : ['is:flow' as const]),
    ...(namesComposed(query) ? [] : ['is:composed' as const]),
  ]
}

/** Leaves out flow runs and composed requests, unless the query names them. */
export function listQuery(text: string, query: Query): Query {
  const flags = unlistedFlags(parseQuery(text))
  return flags.length === 0 ? query : { kind: 'all', of: [query, leaveOut(flags)] }
}
