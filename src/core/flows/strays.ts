/** The deliveries that no step has asked for. */
import type { FlowStray } from '../../shared/model/flow-run.ts'
import type { Arrival } from './arrivals.ts'
import type { RunContext } from './run-context.ts'

/** Ids that the run knows: of what it has made, and of what has been delivered. */
function knownIds(remembered: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const ids = [...remembered.values()].flatMap((value) =>
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? [value.id] : [],
  )
  return new Set(ids)
}

function names(payload: unknown, ids: ReadonlySet<string>): boolean {
  if (typeof payload === 'string') return ids.has(payload)
  return typeof payload === 'object' && payload !== null && Object.values(payload).some((value) => names(value, ids))
}

function strayOf({ row, event, duplicateOf, attempt, businessAt }: Arrival): FlowStray {
  const isDuplicate = duplicateOf !== null
  const message = isDuplicate
    ? `${event} ${row.id} is a duplicate of ${duplicateOf}, which had been acknowledged.`
    : `${event} ${row.id}${attempt > 1 ? `, attempt ${attempt},` : ''} came, and no step expects it.`
  return {
    deliveryId: row.id,
    kind: isDuplicate ? 'duplicate' : 'unexpected',
    event,
    at: row.receivedAt,
    businessAt: new Date(businessAt).toISOString(),
    message,
  }
}

/** At a real account other things happen at the same time: only what names an object of the run counts there. */
export function straysOf(
  arrivals: readonly Arrival[],
  { remembered, service }: Pick<RunContext, 'remembered' | 'service'>,
): FlowStray[] {
  const ids = knownIds(remembered)
  return arrivals.filter(({ claimedBy, payload }) => claimedBy === null && (service !== null || names(payload, ids))).map(strayOf)
}
