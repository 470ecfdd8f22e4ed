/** Small tables that are examined instead of all deliveries. */
import type { FieldName } from '../../../shared/query/fields.ts'
import type { FlagName } from '../../../shared/query/flags.ts'
import type { Query } from '../../../shared/query/query.ts'

/** Table that has all possible matches of some condition. */
interface CandidateTable {
  readonly from: string
  readonly condition: string
}

const FAILING: CandidateTable = {
  from: 'handler_responses candidates INDEXED BY handler_responses_failing',
  condition: "candidates.outcome = 'failing'",
}
const RESPONDED: CandidateTable = { from: 'handler_responses candidates', condition: 'true' }
const OF_FLOWS: CandidateTable = { from: 'flow_deliveries candidates', condition: 'true' }
const COMPOSED: CandidateTable = { from: 'composed candidates', condition: 'true' }
const NARROWING: Readonly<Partial<Record<FieldName, CandidateTable>>> = {
  response: RESPONDED,
  handler: RESPONDED,
  flow: OF_FLOWS,
  name: COMPOSED,
}

const NARROWING_FLAGS: Readonly<Partial<Record<FlagName, CandidateTable>>> = {
  'response:failing': FAILING,
  'is:flow': OF_FLOWS,
  'is:composed': COMPOSED,
  'has:name': COMPOSED,
}

/** Returns the smallest table that has all of a query's matches, or null. */
export function candidateTableOf(query: Query): CandidateTable | null {
  switch (query.kind) {
    case 'all': {
      const candidateTables = query.of.map(candidateTableOf)
      return (
        [COMPOSED, OF_FLOWS, FAILING, RESPONDED].find((one) => candidateTables.includes(one)) ??
        null
      )
    }
    case 'any': {
      const [first = null, ...others] = query.of.map(candidateTableOf)
      return others.every((other) => other === first) ? first : null
    }
    case 'flag':
      return NARROWING_FLAGS[query.flag] ?? null
    case 'text':
    case 'bounds':
      return NARROWING[query.field] ?? null
    default:
      return null
  }
}
