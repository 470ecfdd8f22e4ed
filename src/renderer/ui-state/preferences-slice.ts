/**
 * Preferences of the window. Theme, wrapping and single keys belong to the data folder, with a copy
 * in the browser's storage.
 */
import { z } from 'zod'
import {
  themeSchema,
  type SettingsChange,
  type WindowSettings,
} from '../../shared/model/settings.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'
import { writeStored, readStored } from './browser-storage.ts'

export const TIMELINE_RANGES = ['hour', 'day', 'week', 'all'] as const

const tourSchema = z.object({
  /** Index of the step; the number of steps once the tour is finished. */
  step: z.number(),
  /** Whether the tour is shown; false once it is left or finished. */
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
  /** Whether single-letter shortcuts, such as `j`, work outside text fields. */
  singleKeys: z.boolean().catch(true),
  wrap: z.boolean().catch(true),
  /** IDs of the columns of the deliveries list that the user hides. */
  columns: z.object({ hidden: z.array(z.string()) }).catch({ hidden: [] }),
  /** Values of the palette's items that were run last, newest first. */
  recent: z.array(z.string()).catch([]),
  /** Progress of the tour; null if it was never started. */
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
  const stored = readStored('localStorage', KEY, preferencesSchema) ?? preferencesSchema.parse({})
  let saving = 0
  const put = (change: Partial<Preferences>) => {
    set(change)
    writeStored('localStorage', KEY, preferencesSchema.parse(get()))
  }
  const save = async (change: NonNullable<SettingsChange['window']>) => {
    saving += 1
    await app().settings.change({ window: change })
    saving -= 1
    // A rejected change is reverted.
    adopt(app().core.settings.window)
  }
  /** Adopts the data folder's settings, unless a change of this window is on its way there. */
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
    ...stored,
    set: <K extends keyof Preferences>(name: K, value: Preferences[K]) => {
      put({ [name]: value })
      if (SHARED.some((one) => one === name)) void save({ [name]: value })
    },
  }
}
