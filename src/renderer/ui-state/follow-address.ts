import type { StoreApi } from 'zustand/vanilla'
import { addressedDialogs, screens } from '../screens.ts'
import type { Notify } from '../core-data/act.ts'
import type { ConsentSlice } from './consent-slice.ts'
import {
  isOtherPage,
  parseAddress,
  printAddress,
  type AddressedDialog,
  type Address,
} from './routes.ts'
import type { AddressBar } from './address-bar.ts'
import type { Routed } from './navigation-slice.ts'

type Shown = Address & { readonly dialog: AddressedDialog | null }

/**
 * Shows what the address names, and writes the address once per turn when the window changes:
 * another page adds an entry to the history, another selection replaces the current entry.
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
  /** Reports an unknown address once the window can show it. */
  const reportUnknown = () => {
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
    reportUnknown()
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
    reportUnknown()
  })
  open()
  writeSoon()
}
