/** Preferences of this window in the browser's storage: theme, density, single-key shortcuts. */
import type { FeatureTools } from './feature-tools.ts'

export type Theme = 'system' | 'dark' | 'light'
export type Density = 'compact' | 'comfortable'

export interface PreferencesSlice {
  readonly theme: Theme
  readonly density: Density
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  readonly singleKeys: boolean
  readonly wrap: boolean
  set<K extends keyof Preferences>(name: K, value: Preferences[K]): void
}

type Preferences = Pick<PreferencesSlice, 'theme' | 'density' | 'singleKeys' | 'wrap'>

const KEY = 'countersign.preferences'
const defaults: Preferences = { theme: 'system', density: 'compact', singleKeys: true, wrap: true }

export const ROW_HEIGHT: Readonly<Record<Density, number>> = { compact: 28, comfortable: 36 }

export function createPreferencesSlice({ set, get }: FeatureTools<PreferencesSlice>): PreferencesSlice {
  return {
    ...readPreferences(),
    set: (name, value) => {
      set({ [name]: value })
      const { theme, density, singleKeys, wrap } = get()
      try {
        localStorage.setItem(KEY, JSON.stringify({ theme, density, singleKeys, wrap }))
      } catch {
        // Storage is full or disabled: the choice lasts until the window closes.
      }
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
  const { theme, density, singleKeys, wrap } = kept as Record<string, unknown>
  return {
    ...(theme === 'system' || theme === 'dark' || theme === 'light' ? { theme } : {}),
    ...(density === 'compact' || density === 'comfortable' ? { density } : {}),
    ...(typeof singleKeys === 'boolean' ? { singleKeys } : {}),
    ...(typeof wrap === 'boolean' ? { wrap } : {}),
  }
}
