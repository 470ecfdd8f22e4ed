/** The address, which decides what the window shows, and the open overlay. */
import { hashKey } from '@tanstack/react-query'
import type { Screen } from '../screens.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'
import {
  queryNames,
  startParams,
  type AddressedDialog,
  type Params,
  type Address,
} from './routes.ts'

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
  | 'public-address'
  | 'export'
  | 'share'
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
  | 'body-columns'
  | 'compare-choose'
  | 'compare-ignored'
  | 'compare-export'
  | 'make-object'
  | 'change-object'
  | 'set-clock'
  | 'reset-sandbox'
  | 'replays'
  | 'replay-target'
  | 'replay-composer'
  | 'compare-runs'
  | 'updates'

export type NavigationSlice = ReturnType<typeof createNavigationSlice>

interface Place {
  readonly screen: Screen
  /** Parameters of each screen, kept after it is left. */
  readonly at: { readonly [S in Screen]: Params<S> }
  readonly overlay: Overlay | null
  /** ID or name of the overlay's subject. */
  readonly about: string | null
}

const initialPlace: Place = {
  screen: 'deliveries',
  at: startParams,
  overlay: null,
  about: null,
}

export function createNavigationSlice({ set, get }: FeatureTools<Place>) {
  const placeChange = (screen: Screen, params: object) =>
    hashKey([params]) === hashKey([get().at[screen]])
      ? {}
      : { at: { ...get().at, [screen]: params } }
  const withQuery = (screen: Screen, params: object) => {
    const queryParams = Object.entries(get().at[screen]).filter(([name]) =>
      queryNames(screen).includes(name),
    )
    return { ...Object.fromEntries(queryParams), ...params }
  }
  return {
    ...initialPlace,

    /** Opens a screen, by default with its last selection and filter, and closes the overlay. */
    go<S extends Screen>(screen: S, params: Params<S> = get().at[screen]) {
      set({ screen, overlay: null, ...placeChange(screen, withQuery(screen, params)) })
    },
    /** Sets the parameters of a screen, shown or not. */
    select<S extends Screen>(screen: S, params: Params<S>) {
      set(placeChange(screen, withQuery(screen, params)))
    },
    /** Shows the target of Back, Forward or a link. */
    show({ screen, params }: Address, dialog: AddressedDialog | null) {
      const { name: overlay = null, about = null } = dialog ?? {}
      set({ screen, overlay, about, ...placeChange(screen, params) })
    },
    openOverlay: (overlay: Overlay, about?: string) => set({ overlay, about: about ?? null }),
    closeOverlay: () => set({ overlay: null }),
  }
}

export interface Routed {
  readonly core: Pick<CoreSlice, 'status'>
  readonly navigation: NavigationSlice
}

/** Whether a screen must follow its address: it changed, or the core's status was read only now. */
export function hasAddressChanged(screen: Screen, now: Routed, before: Routed): boolean {
  return (
    now.core.status !== null &&
    (before.core.status === null || now.navigation.at[screen] !== before.navigation.at[screen])
  )
}
