/** Small tables that are examined instead of all deliveries. */
import type { FieldName } from '../../../shared/query/fields.ts'
import type { FlagName } from '../../../shared/query/flags.ts'
import type { Query } from '../../../shared/query/query.ts'

/** Table that has all possible matches of some condition. */
interface Narrower {
  readonly from: string
  readonly only: string
}

const FAILING: Narrower = {
  from: 'handler_responses driven INDEXED BY handler_responses_failing',
  only: "driven.outcome = 'failing'",
}
const RESPONDED: Narrower = { from: 'handler_responses driven', only: 'true' }
const OF_FLOWS: Narrower = { from: 'flow_deliveries driven', only: 'true' }
const NARROWING: Readonly<Partial<Record<FieldName, Narrower>>> = {
  response: RESPONDED,
  handler: RESPONDED,
  flow: OF_FLOWS,
}

const NARROWING_FLAGS: Readonly<Partial<Record<FlagName, Narrower>>> = {
  'response:failing': FAILING,
  'is:flow': OF_FLOWS,
}

/** Returns the smallest table that has all of a query's matches, or null. */
export function narrowerOf(query: Query): Narrower | null {
  switch (query.kind) {
    case 'all': {
      const narrowers = query.of.map(narrowerOf)
      return [OF_FLOWS, FAILING, RESPONDED].find((one) => narrowers.includes(one)) ?? null
    }
    case 'any': {
      const [first = null, ...others] = query.of.map(narrowerOf)
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
