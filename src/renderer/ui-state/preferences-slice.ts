/**
 * Preferences of the window. Theme, wrapping and single keys are settings of the data folder, shown before it answers from the
 * browser's storage; the rest is only stored there.
 */
import { z } from 'zod'
import {
  themeSchema,
  type SettingsChange,
  type WindowSettings,
} from '../../shared/model/settings.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'
import { keep, readKept } from './kept.ts'

export const TIMELINE_RANGES = ['hour', 'day', 'week', 'all'] as const

const tourSchema = z.object({
  /** The index of the step; the number of steps once the tour is finished. */
  step: z.number(),
  /** False if the tour was left, and can be continued, or finished. */
  shown: z.boolean(),
})
export type TourProgress = z.infer<typeof tourSchema>

const timelineSchema = z.object({
  range: z.enum(TIMELINE_RANGES).catch('hour'),
  view: z.enum(['verdict', 'response']).catch('verdict'),
})
export type TimelineChoice = z.infer<typeof timelineSchema>

const preferencesSchema = z.object({
  theme: themeSchema.catch('system'),
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  singleKeys: z.boolean().catch(true),
  wrap: z.boolean().catch(true),
  /** The columns of the deliveries list that the user hides, by their ids. */
  columns: z.object({ hidden: z.array(z.string()) }).catch({ hidden: [] }),
  /** The palette's items that were run last, newest first. */
  recent: z.array(z.string()).catch([]),
  /** Null if it was never started. */
  tour: tourSchema.nullable().catch(null),
  timeline: timelineSchema.catch({ range: 'hour', view: 'verdict' }),
})
type Preferences = z.infer<typeof preferencesSchema>

export type PreferencesSlice = ReturnType<typeof createPreferencesSlice>

const KEY = 'countersign.preferences'

const SHARED = ['theme', 'wrap', 'singleKeys'] as const satisfies readonly (keyof Preferences)[]

interface PreferencesContext {
  readonly core: Pick<CoreSlice, 'settings'>
  readonly settings: { change(change: SettingsChange): Promise<void> }
}

export function createPreferencesSlice({
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Preferences, PreferencesContext>) {
  const kept = readKept('localStorage', KEY, preferencesSchema) ?? preferencesSchema.parse({})
  let saving = 0
  const put = (change: Partial<Preferences>) => {
    set(change)
    keep('localStorage', KEY, preferencesSchema.parse(get()))
  }
  const save = async (change: NonNullable<SettingsChange['window']>) => {
    saving += 1
    await app().settings.change({ window: change })
    saving -= 1
    // A rejected change is reverted.
    adopt(app().core.settings.window)
  }
  /** Takes over what the data folder has, unless a change of this window is on its way there. */
  const adopt = (settings: WindowSettings) => {
    if (saving > 0) return
    const now = get()
    const change = Object.fromEntries(
      Object.entries(settings).filter(
        ([name, value]) => value !== undefined && value !== now[name as (typeof SHARED)[number]],
      ),
    )
    if (Object.keys(change).length > 0) put(change)
  }
  subscribe(({ core: { settings } }, { core: before }) => {
    if (settings !== before.settings) adopt(settings.window)
  })
  return {
    ...kept,
    set: <K extends keyof Preferences>(name: K, value: Preferences[K]) => {
      put({ [name]: value })
      if (SHARED.some((one) => one === name)) void save({ [name]: value })
    },
  }
}
