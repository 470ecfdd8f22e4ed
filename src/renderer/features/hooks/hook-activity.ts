/** The recent deliveries of each hook. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { acknowledgementRule, isAcknowledged } from '../../state/acknowledgement.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'

/** Deliveries read per event, newest first. */
const DELIVERIES_LOOKED_AT = 200

interface HookActivity {
  /** Newest first. */
  readonly deliveries: readonly DeliveryRow[]
  /** How many of the answered deliveries were not acknowledged. */
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
  const outcomes = deliveries
    .map((row) => isAcknowledged(row.answer, rule))
    .filter((outcome) => outcome !== null)
  return {
    deliveries,
    failed: outcomes.filter((outcome) => !outcome).length,
    answered: outcomes.length,
  }
}

/** A query for the deliveries of one event. Escapes any character in its name. */
export function queryOfEvent(event: string): string {
  return `event:"${event.replaceAll(/["\\]/g, '\\$&')}"`
}

/** `3 of 12`, or null if nothing was answered. */
export function failureCount({ failed, answered }: HookActivity): string | null {
  return answered === 0 ? null : `${failed} of ${answered}`
}

/** The same with the failure rate: `0 of 12`, `3 of 12 (25%)`. */
export function failureWords(activity: HookActivity): string | null {
  const count = failureCount(activity)
  const { failed, answered } = activity
  return count === null || failed === 0
    ? count
    : `${count} (${Math.max(1, Math.round((failed / answered) * 100))}%)`
}

/**
 * The recent deliveries of a hook, for its row and its details; null until they are read. `problem` says why they can't be.
 */
export function useHookActivity(hook: Hook) {
  const { output, problem } = useRead('deliveries.page', {
    query: queryOfEvent(hook.event),
    limit: DELIVERIES_LOOKED_AT,
  })
  const environments = useApp((state) => state.core.environments)
  const activity = output === undefined ? null : activityOf(hook, output.rows, environments)
  return { activity, problem }
}
