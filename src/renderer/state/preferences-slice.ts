/** Preferences of this window in the browser's storage: theme, density, keys. */
import type { FeatureTools } from './feature-tools.ts'
import { applyKeys, isKeyAction, keysOf, type CustomKeys } from './key-map.ts'

export type Theme = 'system' | 'dark' | 'light'
export type Density = 'compact' | 'comfortable'

interface Preferences {
  readonly theme: Theme
  readonly density: Density
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  readonly singleKeys: boolean
  readonly wrap: boolean
  /** The user's own keys. */
  readonly keys: CustomKeys
  /** The palette's items that were run last, newest first. */
  readonly recent: readonly string[]
}

export interface PreferencesSlice extends Preferences {
  set<K extends keyof Preferences>(name: K, value: Preferences[K]): void
  /** Shows the user's keys in the desktop app's menus. */
  tellKeys(): void
}

const KEY = 'countersign.preferences'
const defaults: Preferences = { theme: 'system', density: 'compact', singleKeys: true, wrap: true, keys: {}, recent: [] }

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
      const { theme, density, singleKeys, wrap, keys, recent } = get()
      try {
        localStorage.setItem(KEY, JSON.stringify({ theme, density, singleKeys, wrap, keys, recent }))
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
  const { theme, density, singleKeys, wrap, keys, recent } = kept as Record<string, unknown>
  return {
    ...(theme === 'system' || theme === 'dark' || theme === 'light' ? { theme } : {}),
    ...(density === 'compact' || density === 'comfortable' ? { density } : {}),
    ...(typeof singleKeys === 'boolean' ? { singleKeys } : {}),
    ...(typeof wrap === 'boolean' ? { wrap } : {}),
    ...(typeof keys === 'object' && keys !== null ? { keys: knownKeys(keys) } : {}),
    ...(Array.isArray(recent) ? { recent: recent.filter((value) => typeof value === 'string') } : {}),
  }
}

/** Without actions of another version. */
function knownKeys(keys: object): CustomKeys {
  return Object.fromEntries(
    Object.entries(keys).filter(([action, value]: [string, unknown]) => isKeyAction(action) && typeof value === 'string'),
  )
}
