/** The address, which decides what the window shows, and the open overlay. */
import type { StoreApi } from 'zustand/vanilla'
import { addressedDialogs, screens } from '../screens.ts'
import type { Notify } from '../core-data/act.ts'
import type { ConsentSlice } from './consent-slice.ts'
import type { CoreSlice } from './core-slice.ts'
import type { FeatureTools } from './feature-tools.ts'
import {
  isOtherPage,
  parseAddress,
  printAddress,
  queryNames,
  starts,
  type AddressedDialog,
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

export type NavigationSlice = ReturnType<typeof createNavigationSlice>

interface Place {
  readonly screen: Screen
  /** What each screen shows, or showed when it was left. */
  readonly at: { readonly [S in Screen]: Params<S> }
  readonly overlay: Overlay | null
  /** What the overlay is about, by its ID or name. */
  readonly about: string | null
}

const first: Place = {
  screen: 'deliveries',
  at: starts,
  overlay: null,
  about: null,
}

export function createNavigationSlice({ set, get }: FeatureTools<Place>) {
  const placed = (screen: Screen, params: object) =>
    isSame(params, get().at[screen]) ? {} : { at: { ...get().at, [screen]: params } }
  const withQuery = (screen: Screen, params: object) => {
    const shown = Object.entries(get().at[screen]).filter(([name]) =>
      queryNames(screen).includes(name),
    )
    return { ...Object.fromEntries(shown), ...params }
  }
  return {
    ...first,

    /**
     * Opens a screen, by default with its last selection and its last filter, and closes the
     * overlay.
     */
    go<S extends Screen>(screen: S, params: Params<S> = get().at[screen]) {
      set({ screen, overlay: null, ...placed(screen, withQuery(screen, params)) })
    },
    /** Says what a screen shows, whether it is the shown one or not. */
    select<S extends Screen>(screen: S, params: Params<S>) {
      set(placed(screen, withQuery(screen, params)))
    },
    /** Shows what Back, Forward or a link leads to. */
    show({ screen, params }: Address, dialog: AddressedDialog | null) {
      const { name: overlay = null, about = null } = dialog ?? {}
      set({ screen, overlay, about, ...placed(screen, params) })
    },
    openOverlay: (overlay: Overlay, about?: string) => set({ overlay, about: about ?? null }),
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
  /** Called after Back (`isBack`), Forward, or an address that the user typed. */
  onMoved(listener: (isBack: boolean) => void): void
}

/** Numbers the entries of the history: a browser doesn't say in which direction it moved. */
export function pageAddressBar(): AddressBar {
  const numberOf = (state: unknown) => (typeof state === 'number' ? state : null)
  let place = numberOf(history.state) ?? 0
  history.replaceState(place, '')
  return {
    hash: () => location.hash,
    write(hash, isNew) {
      if (isNew) history.pushState(++place, '', hash)
      else history.replaceState(place, '', hash)
    },
    onMoved(listener) {
      const move = () => {
        const before = place
        // An address that the user typed has no number yet.
        place = numberOf(history.state) ?? before + 1
        history.replaceState(place, '')
        listener(place < before)
      }
      window.addEventListener('popstate', move)
      window.addEventListener('hashchange', move)
    },
  }
}

type Shown = Address & { readonly dialog: AddressedDialog | null }

/**
 * Shows what the address names, and writes it when the window goes elsewhere: another page as a new
 * entry of the history, a selection in place of the last one. What happens in one turn is one
 * entry. Back closes an open dialog first.
 */
export function followAddress(
  store: StoreApi<Routed & { readonly consent: Pick<ConsentSlice, 'question' | 'answer'> }>,
  bar: AddressBar,
  notify: Notify,
): void {
  const here = () => store.getState().navigation
  let last: Shown = { screen: 'deliveries', params: {}, dialog: null }
  const shown = (): Shown => {
    const { screen, at, overlay, about } = here()
    const name = addressedDialogs.find((one) => one === overlay)
    const dialog = name === undefined ? null : { name, about }
    return { screen, params: at[screen], dialog } as Shown
  }
  const textOf = ({ screen, params, dialog }: Shown) => printAddress(screen, params, dialog)
  const closesDialog = () => {
    const { consent, navigation } = store.getState()
    if (consent.question !== null) consent.answer(false)
    else if (navigation.overlay !== null) navigation.closeOverlay()
    else return false
    return true
  }
  let unknown: string | null = null
  /** Once the window can show it. */
  const complain = () => {
    if (unknown === null || store.getState().core.status === null) return
    notify({ tone: 'warn', title: 'Page not found', message: unknown })
    unknown = null
  }
  const open = (isBack = false) => {
    if (isBack && closesDialog()) {
      bar.write(textOf(shown()), true)
      return
    }
    const { route, isKnown, dialog } = parseAddress(bar.hash())
    const instead = screens[route.screen].title
    if (!isKnown) unknown = `Nothing is at ${bar.hash()}. Showing ${instead} instead.`
    here().show(route, dialog)
    last = shown()
    complain()
  }
  let isPending = false
  const write = () => {
    isPending = false
    const now = shown()
    const text = textOf(now)
    const leavesDialog = last.dialog !== null && now.dialog === null && now.params !== last.params
    if (text !== bar.hash()) bar.write(text, isOtherPage(last, now) || leavesDialog)
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
