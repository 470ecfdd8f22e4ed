/** The current screen and overlay. The screen is part of the URL, so that a reload keeps it. */
import { SAFE_MODE } from '../../shared/contract/native.ts'
import type { FeatureTools } from './feature-tools.ts'

export const screens = ['deliveries', 'compare', 'hooks', 'flows', 'check', 'sandbox', 'settings'] as const
export type Screen = (typeof screens)[number]
export type Overlay =
  | 'palette'
  | 'shortcuts'
  | 'import-hook'
  | 'register-hook'
  | 'edit-hook'
  | 'delete-hook'
  | 'rotate-secret'
  | 'send-live'
  | 'public-address'
  | 'shrink'
  | 'export'
  | 'import'
  | 'forward-target'
  | 'remove-target'
  | 'environment'
  | 'remove-environment'
  | 'note'
  | 'delete-pinned'
  | 'save-view'
  | 'saved-views'
  | 'compare-choose'
  | 'compare-ignored'
  | 'compare-export'
  | 'trigger-live'
  | 'clock-live'
  | 'make-object'
  | 'change-object'
  | 'set-clock'
  | 'reset-sandbox'
  | 'replays'
  | 'replay-target'
  | 'replay-composer'
  | 'updates'

export interface NavigationSlice {
  readonly screen: Screen
  readonly overlay: Overlay | null
  go(screen: Screen): void
  openOverlay(overlay: Overlay): void
  closeOverlay(): void
}

export function createNavigationSlice({ set }: FeatureTools<NavigationSlice>): NavigationSlice {
  return {
    screen: screenOfAddress(),
    overlay: null,
    go: (screen) => {
      // A reload stays in safe mode until the user leaves it.
      if (location.hash !== SAFE_MODE) history.replaceState(null, '', `#${screen}`)
      set({ screen, overlay: null })
    },
    openOverlay: (overlay) => {
      set({ overlay })
    },
    closeOverlay: () => {
      set({ overlay: null })
    },
  }
}

function screenOfAddress(): Screen {
  return screens.find((screen) => `#${screen}` === location.hash) ?? 'deliveries'
}
