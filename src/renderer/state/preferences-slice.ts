/** Preferences of this window in the browser's storage: theme, density, keys, the list's columns. */
import type { FeatureTools } from './feature-tools.ts'
import { applyKeys, isKeyAction, keysOf, type CustomKeys } from './key-map.ts'

export type Theme = 'system' | 'dark' | 'light'
export type Density = 'compact' | 'comfortable'

/** How the user changed the columns of the deliveries list, by their ids. */
export interface ColumnChoice {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  readonly widths: Readonly<Record<string, number>>
}

export const DEFAULT_COLUMNS: ColumnChoice = { order: [], hidden: [], widths: {} }

interface Preferences {
  readonly theme: Theme
  readonly density: Density
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  readonly singleKeys: boolean
  readonly wrap: boolean
  readonly columns: ColumnChoice
  /** The user's own keys. */
  readonly keys: CustomKeys
  /** The palette's items that were run last, newest first. */
  readonly recent: readonly string[]
  /** Shows the next steps after the first sample. */
  readonly guided: boolean
}

export interface PreferencesSlice extends Preferences {
  set<K extends keyof Preferences>(name: K, value: Preferences[K]): void
  /** Shows the user's keys in the desktop app's menus. */
  tellKeys(): void
}

const KEY = 'countersign.preferences'
const defaults: Preferences = {
  theme: 'system',
  density: 'compact',
  singleKeys: true,
  wrap: true,
  columns: DEFAULT_COLUMNS,
  keys: {},
  recent: [],
  guided: false,
}

/** Limits of a column's width, in pixels. */
export const LEAST_COLUMN = 40
export const MOST_COLUMN = 800

export const ROW_HEIGHT: Readonly<Record<Density, number>> = { compact: 28, comfortable: 36 }

export function createPreferencesSlice({ client, capabilities, set, get }: FeatureTools<PreferencesSlice>): PreferencesSlice {
  const kept = readPreferences()
  applyKeys(kept.keys)
  return {
    ...kept,
    set: (name, value) => {
      if (name === 'keys') applyKeys(value as CustomKeys)
      set({ [name]: value })
      if (name === 'keys') get().tellKeys()
      const { theme, density, singleKeys, wrap, columns, keys, recent, guided } = get()
      try {
        localStorage.setItem(KEY, JSON.stringify({ theme, density, singleKeys, wrap, columns, keys, recent, guided }))
      } catch {
        // Storage is full or disabled: the choice lasts until the window closes.
      }
    },
    tellKeys() {
      if (!capabilities.desktop) return
      const shown = Object.keys(get().keys).filter(isKeyAction)
      // Without it, a menu shows an old key.
      client
        .callNative('native.shortcuts', { keys: Object.fromEntries(shown.map((action) => [action, keysOf(action)])) })
        .catch(() => undefined)
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
  const { theme, density, singleKeys, wrap, columns, keys, recent, guided } = kept as Record<string, unknown>
  return {
    ...(theme === 'system' || theme === 'dark' || theme === 'light' ? { theme } : {}),
    ...(density === 'compact' || density === 'comfortable' ? { density } : {}),
    ...(typeof singleKeys === 'boolean' ? { singleKeys } : {}),
    ...(typeof wrap === 'boolean' ? { wrap } : {}),
    columns: columnsOf(columns),
    ...(typeof keys === 'object' && keys !== null ? { keys: knownKeys(keys) } : {}),
    ...(typeof guided === 'boolean' ? { guided } : {}),
    ...(Array.isArray(recent) ? { recent: recent.filter((value) => typeof value === 'string') } : {}),
  }
}

function columnsOf(kept: unknown): ColumnChoice {
  if (typeof kept !== 'object' || kept === null) return DEFAULT_COLUMNS
  const { order, hidden, widths } = kept as Record<string, unknown>
  const names = (value: unknown) => (Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [])
  const sizes: readonly (readonly [string, unknown])[] =
    typeof widths === 'object' && widths !== null ? Object.entries(widths) : []
  const isSize = (entry: readonly [string, unknown]): entry is readonly [string, number] =>
    typeof entry[1] === 'number' && entry[1] >= LEAST_COLUMN && entry[1] <= MOST_COLUMN
  return { order: names(order), hidden: names(hidden), widths: Object.fromEntries(sizes.filter(isSize)) }
}

/** Without actions of another version. */
function knownKeys(keys: object): CustomKeys {
  return Object.fromEntries(
    Object.entries(keys).filter(([action, value]: [string, unknown]) => isKeyAction(action) && typeof value === 'string'),
  )
}
