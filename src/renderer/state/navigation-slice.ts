/** The address, which decides what the window shows, and the open overlay. */
import type { StoreApi } from 'zustand/vanilla'
import { screens } from '../screens.ts'
import type { Notify } from '../data/act.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'
import {
  isOtherPage,
  parseAddress,
  printAddress,
  starts,
  type Params,
  type Address,
  type Screen,
} from './routes.ts'

export type { Screen } from './routes.ts'

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
  /** What each screen shows, or showed when it was left. */
  readonly at: { readonly [S in Screen]: Params<S> }
  readonly overlay: Overlay | null
  /** What the overlay is about, by its ID or name. */
  readonly about: string | null
  /** Opens a screen, by default with its last selection, and closes the overlay. */
  go<S extends Screen>(screen: S, params?: Params<S>): void
  /** Says what a screen shows, whether it is the shown one or not. */
  select<S extends Screen>(screen: S, params: Params<S>): void
  /** Shows what Back, Forward or a link leads to. */
  show(address: Address): void
  openOverlay(overlay: Overlay, about?: string): void
  closeOverlay(): void
}

export function createNavigationSlice({
  set,
  get,
}: FeatureTools<NavigationSlice>): NavigationSlice {
  const placed = (screen: Screen, params: object) =>
    isSame(params, get().at[screen]) ? {} : { at: { ...get().at, [screen]: params } }
  return {
    screen: 'deliveries',
    at: starts,
    overlay: null,
    about: null,
    go(screen, params = get().at[screen]) {
      set({ screen, overlay: null, ...placed(screen, params) })
    },
    select(screen, params) {
      set(placed(screen, params))
    },
    show({ screen, params }) {
      set({ screen, overlay: null, ...placed(screen, params) })
    },
    openOverlay: (overlay, about) => set({ overlay, about: about ?? null }),
    closeOverlay: () => set({ overlay: null }),
  }
}

function isSame(one: object, other: object): boolean {
  const given = (params: object) =>
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .map(String)
  const [these, those] = [given(one), given(other)]
  return these.length === those.length && these.every((each) => those.includes(each))
}

interface Routed {
  readonly core: Pick<CoreSlice, 'status'>
  readonly navigation: NavigationSlice
}

/** Whether a screen's address changed elsewhere than in its state, or what it names can be read only now. */
export function isRouted(screen: Screen, now: Routed, before: Routed): boolean {
  return (
    now.core.status !== null &&
    (before.core.status === null || now.navigation.at[screen] !== before.navigation.at[screen])
  )
}

/** The address bar and the history of the page. */
export interface AddressBar {
  hash(): string
  /** `isNew`: as a new entry of the history. */
  write(hash: string, isNew: boolean): void
  /** Called after Back, Forward, or an address that the user typed. */
  onMoved(listener: () => void): void
}

export function pageAddressBar(): AddressBar {
  return {
    hash: () => location.hash,
    write(hash, isNew) {
      if (isNew) history.pushState(null, '', hash)
      else history.replaceState(null, '', hash)
    },
    onMoved(listener) {
      window.addEventListener('popstate', listener)
      window.addEventListener('hashchange', listener)
    },
  }
}

/**
 * Shows what the address names, and writes it when the window goes elsewhere: another page as a new entry of the history, a
 * selection in place of the last one. What happens in one turn is one entry.
 */
export function followAddress(store: StoreApi<Routed>, bar: AddressBar, notify: Notify): void {
  const here = () => store.getState().navigation
  let last: Address = { screen: 'deliveries', params: {} }
  let unknown: string | null = null
  /** Once the window can show it. */
  const complain = () => {
    if (unknown === null || store.getState().core.status === null) return
    notify({ tone: 'warn', title: 'Page not found', message: unknown })
    unknown = null
  }
  const open = () => {
    const { route, isKnown } = parseAddress(bar.hash())
    last = route
    const instead = screens[route.screen].title
    if (!isKnown) unknown = `Nothing is at ${bar.hash()}. Showing ${instead} instead.`
    here().show(route)
    complain()
  }
  let isPending = false
  const write = () => {
    isPending = false
    const { screen, at } = here()
    const now = { screen, params: at[screen] } as Address
    const text = printAddress(screen, at[screen])
    if (text !== bar.hash()) bar.write(text, isOtherPage(last, now))
    last = now
  }
  const writeSoon = () => {
    if (isPending) return
    isPending = true
    queueMicrotask(write)
  }
  bar.onMoved(open)
  store.subscribe(({ navigation }, before) => {
    if (navigation !== before.navigation) writeSoon()
    complain()
  })
  open()
  writeSoon()
}
