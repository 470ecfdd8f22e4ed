/** Deliveries of flow runs, which lists leave out unless the query names them. */
import { type Query, EVERYTHING } from './query.ts'

export const NOT_OF_FLOWS: Query = { kind: 'not', of: { kind: 'flag', flag: 'is:flow' } }

/** Separates `NOT_OF_FLOWS`, which needs only the seq, from the rest. */
export function separateFlowCondition(query: Query): {
  readonly query: Query
  readonly hidesFlows: boolean
} {
  if (query.kind === 'not' && query.of.kind === 'flag' && query.of.flag === 'is:flow')
    return { query: EVERYTHING, hidesFlows: true }
  if (query.kind !== 'all') return { query, hidesFlows: false }
  const parts = query.of.map(separateFlowCondition)
  const of = parts.flatMap((part) => (part.query.kind === 'all' ? part.query.of : [part.query]))
  return {
    query: of.length === 1 ? of[0]! : { kind: 'all', of },
    hidesFlows: parts.some(({ hidesFlows }) => hidesFlows),
  }
}
