/** Finds deliveries that no step expects. */
import type { UnexpectedDelivery } from '../../shared/model/flow-run.ts'
import { type Arrival, arrivedOf } from './arrivals.ts'
import type { RunContext } from './run-context.ts'

function idsOfRun(remembered: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const ids = [...remembered.values()].flatMap((value) =>
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? [value.id]
      : [],
  )
  return new Set(ids)
}

function mentionsAny(payload: unknown, ids: ReadonlySet<string>): boolean {
  if (typeof payload === 'string') return ids.has(payload)
  return (
    typeof payload === 'object' &&
    payload !== null &&
    Object.values(payload).some((value) => mentionsAny(value, ids))
  )
}

export function unexpectedDeliveryOf(arrival: Arrival): UnexpectedDelivery {
  const { row, event, duplicateOf, attempt, businessAt, receiverResponse } = arrival
  const isDuplicate = duplicateOf !== null
  const message = isDuplicate
    ? `${event} ${row.id} is a duplicate of ${duplicateOf}, which was already acknowledged.`
    : `Unexpected ${event} ${row.id}${attempt > 1 ? `, attempt ${attempt}` : ''}.`
  return {
    deliveryId: row.id,
    kind: isDuplicate ? 'duplicate' : 'unexpected',
    event,
    at: row.receivedAt,
    businessAt: new Date(businessAt).toISOString(),
    message,
    arrived: arrivedOf(arrival),
    response: receiverResponse,
  }
}

/** Returns unexpected deliveries, with a real account only those with an id of the run. */
export function unexpectedAmong({ arrivals, remembered, service }: RunContext): Arrival[] {
  const ids = idsOfRun(remembered)
  return arrivals.filter(
    ({ expectedBy, payload }) =>
      expectedBy === null && (service !== null || mentionsAny(payload, ids)),
  )
}
