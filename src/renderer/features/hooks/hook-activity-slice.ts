/** Keeps each hook's recent deliveries up to date while the Hooks screen is open. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { acknowledgementRule, isAcknowledged } from '../../state/acknowledgement.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { createReloader } from '../../state/reloader.ts'

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

/** Pause between two reads, in milliseconds. Deliveries may arrive by the thousand. */
const READING_PAUSE_MS = 500

export interface HookActivitySlice {
  /** Recent deliveries of each event that has a hook; null until loaded. */
  readonly rowsByEvent: Readonly<Record<string, readonly DeliveryRow[]>> | null
  readonly activityProblem: string | null
  /** Reads now and whenever deliveries change. Returns a function that stops it. */
  watchActivity(): () => void
}

export function createHookActivitySlice({
  client,
  resource,
  app,
}: FeatureTools<HookActivitySlice, { readonly core: EntitiesSlice }>): HookActivitySlice {
  return {
    rowsByEvent: null,
    activityProblem: null,
    watchActivity() {
      const ending = new AbortController()
      const read = resource(async () => {
        const events = [...new Set(app().core.hooks.map(({ event }) => event))]
        const pages = await Promise.all(
          events.map(async (event) => {
            const input = { query: queryOfEvent(event), limit: DELIVERIES_LOOKED_AT }
            return [
              event,
              (await client.call('deliveries.page', input, { signal: ending.signal })).rows,
            ] as const
          }),
        )
        return { rowsByEvent: Object.fromEntries(pages) }
      }, 'activityProblem')
      const ask = createReloader(read, READING_PAUSE_MS, ending.signal)
      const stops = [
        client.on('deliveries.changed', ask),
        client.on('hooks.changed', ask),
        client.onGap(ask),
      ]
      ask()
      return () => {
        ending.abort()
        for (const stop of stops) stop()
      }
    },
  }
}
