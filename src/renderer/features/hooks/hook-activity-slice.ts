/** The last deliveries of every hook, kept up to date while the Hooks screen is open. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
import { DELIVERIES_LOOKED_AT, queryOfEvent } from './hook-activity.ts'

/** Pause between two readings, in milliseconds: deliveries may come by the thousand. */
const READING_PAUSE_MS = 500

export interface HookActivitySlice {
  /** The last deliveries of each event that has a hook; null until they have been read. */
  readonly rowsByEvent: Readonly<Record<string, readonly DeliveryRow[]>> | null
  readonly activityProblem: string | null
  /** Reads, and again whenever deliveries come or change; returns the function that ends it. */
  watchActivity(): () => void
}

export function createHookActivitySlice({
  client,
  set,
  app,
}: FeatureTools<HookActivitySlice, { readonly core: EntitiesSlice }>): HookActivitySlice {
  return {
    rowsByEvent: null,
    activityProblem: null,
    watchActivity() {
      const ending = new AbortController()
      let asked = 0
      let reading = false

      const read = async () => {
        reading = true
        const answering = asked
        try {
          const events = [...new Set(app().core.hooks.map(({ event }) => event))]
          const pages = await Promise.all(
            events.map(async (event) => {
              const input = { query: queryOfEvent(event), limit: DELIVERIES_LOOKED_AT }
              return [event, (await client.call('deliveries.page', input, { signal: ending.signal })).rows] as const
            }),
          )
          set({ rowsByEvent: Object.fromEntries(pages), activityProblem: null })
        } catch (error) {
          if (!isQuiet(error)) set({ activityProblem: sentenceOf(error) })
        }
        await new Promise((resolve) => setTimeout(resolve, READING_PAUSE_MS))
        reading = false
        if (asked !== answering && !ending.signal.aborted) void read()
      }
      const ask = () => {
        asked += 1
        if (!reading) void read()
      }
      const stops = [client.on('deliveries.changed', ask), client.on('hooks.changed', ask), client.onGap(ask)]
      ask()
      return () => {
        ending.abort()
        for (const stop of stops) stop()
      }
    },
  }
}
