/** The current screen and overlay. `addresses.ts` reads the first screen from the page's address, and keeps the two in step. */
import type { FeatureTools } from './feature-tools.ts'

export const screens = [
  'deliveries',
  'compare',
  'flows',
  'handlers',
  'forward',
  'hooks',
  'check',
  'sandbox',
  'settings',
] as const
export type Screen = (typeof screens)[number]
export type Overlay =
  | 'palette'
  | 'shortcuts'
  | 'failures'
  | 'import-hook'
  | 'register-hook'
  | 'edit-hook'
  | 'sync-hooks'
  | 'delete-hook'
  | 'rotate-secret'
  | 'send-live'
  | 'public-address'
  | 'export'
  | 'import'
  | 'verify-request'
  | 'forward-target'
  | 'remove-target'
  | 'handler'
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
    screen: 'deliveries',
    overlay: null,
    go: (screen) => set({ screen, overlay: null }),
    openOverlay: (overlay) => set({ overlay }),
    closeOverlay: () => set({ overlay: null }),
  }
}
