/** What the last deliveries of each hook came to. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { acknowledgementRule, isAcknowledged } from '../../state/acknowledgement.ts'

/** Deliveries of one event that are looked at, newest first. */
export const DELIVERIES_LOOKED_AT = 200

export interface HookActivity {
  /** Newest first. */
  readonly deliveries: readonly DeliveryRow[]
  /** Those whose answer the service does not take for an acknowledgement, among the deliveries with an answer. */
  readonly failed: number
  readonly answered: number
}

export const noActivity: HookActivity = { deliveries: [], failed: 0, answered: 0 }

export function activityOf(
  hook: Pick<Hook, 'id' | 'environment'>,
  rows: readonly DeliveryRow[],
  environments: readonly Pick<Environment, 'name' | 'ack'>[],
): HookActivity {
  const rule = acknowledgementRule(environments, hook.environment)
  const deliveries = rows.filter((row) => row.hookId === hook.id)
  const outcomes = deliveries.map((row) => isAcknowledged(row.answer, rule)).filter((outcome) => outcome !== null)
  return { deliveries, failed: outcomes.filter((outcome) => !outcome).length, answered: outcomes.length }
}

/** A search for the deliveries of one event, whatever characters its name has. */
export function queryOfEvent(event: string): string {
  return `event:"${event.replaceAll(/["\\]/g, '\\$&')}"`
}

/** `3 of 12`; null where nothing has been answered. */
export function failureCount({ failed, answered }: HookActivity): string | null {
  return answered === 0 ? null : `${failed} of ${answered}`
}

/** The same with the rate, where there is one to speak of: `0 of 12`, `3 of 12 (25%)`. */
export function failureWords(activity: HookActivity): string | null {
  const count = failureCount(activity)
  const { failed, answered } = activity
  return count === null || failed === 0 ? count : `${count} (${Math.max(1, Math.round((failed / answered) * 100))}%)`
}
