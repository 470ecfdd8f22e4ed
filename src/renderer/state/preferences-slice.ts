/**
 * Preferences of the window. Theme, wrapping and single keys are settings of the data folder, shown before it answers from the
 * browser's storage; the rest is only stored there.
 */
import {
  themeSchema,
  type SettingsChange,
  type Theme,
  type WindowSettings,
} from '../../shared/model/settings.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'

/** The columns of the deliveries list that the user hides, by their ids. */
interface ColumnChoice {
  readonly hidden: readonly string[]
}

export const DEFAULT_COLUMNS: ColumnChoice = { hidden: [] }

export const TIMELINE_RANGES = ['hour', 'day', 'week', 'all'] as const
export const TIMELINE_VIEWS = ['verdict', 'response'] as const

export interface TimelineChoice {
  readonly range: (typeof TIMELINE_RANGES)[number]
  readonly view: (typeof TIMELINE_VIEWS)[number]
}

export interface TourProgress {
  /** The index of the step; the number of steps once the tour is finished. */
  readonly step: number
  /** False if the tour was left, and can be continued, or finished. */
  readonly shown: boolean
}

interface Preferences {
  readonly theme: Theme
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  readonly singleKeys: boolean
  readonly wrap: boolean
  readonly columns: ColumnChoice
  /** The palette's items that were run last, newest first. */
  readonly recent: readonly string[]
  /** Null if it was never started. */
  readonly tour: TourProgress | null
  readonly timeline: TimelineChoice
}

export type PreferencesSlice = ReturnType<typeof createPreferencesSlice>

const KEY = 'countersign.preferences'
const defaults: Preferences = {
  theme: 'system',
  singleKeys: true,
  wrap: true,
  columns: DEFAULT_COLUMNS,
  recent: [],
  tour: null,
  timeline: { range: 'hour', view: 'verdict' },
}

const SHARED = ['theme', 'wrap', 'singleKeys'] as const satisfies readonly (keyof Preferences)[]

interface Around {
  readonly core: Pick<CoreSlice, 'settings'>
  readonly settings: { change(change: SettingsChange): Promise<void> }
}

export function createPreferencesSlice({
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Preferences, Around>) {
  const kept = readPreferences()
  let saving = 0
  const put = (change: Partial<Preferences>) => {
    set(change)
    const { theme, singleKeys, wrap, columns, recent, tour, timeline } = get()
    try {
      localStorage.setItem(
        KEY,
        JSON.stringify({
          theme,
          singleKeys,
          wrap,
          columns,
          recent,
          tour,
          timeline,
        }),
      )
    } catch {
      // Storage is full or disabled: the choice lasts until the window closes.
    }
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

function readPreferences(): Preferences {
  try {
    return { ...defaults, ...pickKnown(JSON.parse(localStorage.getItem(KEY) ?? '{}')) }
  } catch {
    // Nothing stored, or a value from another program.
    return defaults
  }
}

function pickKnown(kept: unknown): Partial<Preferences> {
  if (typeof kept !== 'object' || kept === null) return {}
  const { theme, singleKeys, wrap, columns, recent, tour, timeline } = kept as Record<
    string,
    unknown
  >
  return {
    ...(themeSchema.safeParse(theme).success ? { theme: theme as Theme } : {}),
    ...(typeof singleKeys === 'boolean' ? { singleKeys } : {}),
    ...(typeof wrap === 'boolean' ? { wrap } : {}),
    columns: columnsOf(columns),
    tour: tourOf(tour),
    timeline: timelineOf(timeline),
    ...(Array.isArray(recent)
      ? { recent: recent.filter((value) => typeof value === 'string') }
      : {}),
  }
}

function tourOf(kept: unknown): TourProgress | null {
  if (typeof kept !== 'object' || kept === null) return null
  const { step, shown } = kept as Record<string, unknown>
  return typeof step === 'number' && typeof shown === 'boolean' ? { step, shown } : null
}

function timelineOf(kept: unknown): TimelineChoice {
  if (typeof kept !== 'object' || kept === null) return defaults.timeline
  const { range, view } = kept as Record<string, unknown>
  return {
    range: TIMELINE_RANGES.find((one) => one === range) ?? defaults.timeline.range,
    view: TIMELINE_VIEWS.find((one) => one === view) ?? defaults.timeline.view,
  }
}

function columnsOf(kept: unknown): ColumnChoice {
  if (typeof kept !== 'object' || kept === null) return DEFAULT_COLUMNS
  const { hidden } = kept as Record<string, unknown>
  return Array.isArray(hidden)
    ? { hidden: hidden.filter((name) => typeof name === 'string') }
    : DEFAULT_COLUMNS
}
