/** Deliveries that lists leave out unless the query names them: of flow runs, and composed. */
import { type Query, EVERYTHING } from './query.ts'

/** Flags of unlisted deliveries, with the tables that have their seqs. */
export const UNLISTED = { 'is:flow': 'flow_deliveries', 'is:composed': 'composed' } as const
export type UnlistedFlag = keyof typeof UNLISTED
type UnlistedTable = (typeof UNLISTED)[UnlistedFlag]

/** Returns the query for all deliveries without those of some flags. */
export function leaveOut(flags: readonly UnlistedFlag[]): Query {
  return { kind: 'all', of: flags.map((flag) => ({ kind: 'not', of: { kind: 'flag', flag } })) }
}

export const LISTED = leaveOut(['is:flow', 'is:composed'])

/** Words for numbers of unlisted deliveries: `72 from flow runs and 3 composed`; empty for none. */
export function unlistedWords(counts: Readonly<Partial<Record<UnlistedFlag, string | null>>>) {
  const words = { 'is:flow': 'from flow runs', 'is:composed': 'composed' } as const
  return Object.entries(words)
    .flatMap(([flag, what]) => {
      const count = counts[flag as UnlistedFlag] ?? null
      return count === null ? [] : [`${count} ${what}`]
    })
    .join(' and ')
}

/** Separates the conditions of `leaveOut`, which need only the seq, from the rest. */
export function separateUnlisted(query: Query): {
  readonly query: Query
  readonly leftOut: readonly UnlistedTable[]
} {
  if (query.kind === 'not' && query.of.kind === 'flag' && query.of.flag in UNLISTED)
    return { query: EVERYTHING, leftOut: [UNLISTED[query.of.flag as UnlistedFlag]] }
  if (query.kind !== 'all') return { query, leftOut: [] }
  const parts = query.of.map(separateUnlisted)
  const of = parts.flatMap((part) => (part.query.kind === 'all' ? part.query.of : [part.query]))
  return {
    query: of.length === 1 ? of[0]! : { kind: 'all', of },
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  }
}
