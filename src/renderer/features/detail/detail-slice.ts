/** Display of the open delivery, and commands that open one. Its id and tab are in the address. */
import type { Tab } from '../../ui-state/routes.ts'
import { detailCommands } from './detail-commands.ts'
import { initialDisplay, type DetailTools, type Display } from './detail-display.ts'
import { followDeliveryAddress } from './follow-delivery-address.ts'

export function createDetailSlice(tools: DetailTools) {
  const { set, get, app } = tools
  const here = () => app().navigation.at.deliveries
  const select = (id: string | undefined, tab: Tab | undefined) =>
    app().navigation.select('deliveries', { id, tab })
  followDeliveryAddress(tools)

  const showPart = (tab: Tab, display: Partial<Display>) => {
    select(here().id, tab)
    set(display)
  }

  return {
    ...initialDisplay,
    ...detailCommands(tools),

    /** Shows a delivery, by default with the last tab; `focus` moves the focus to the pane. */
    open(id: string, focus: boolean, tab = here().tab) {
      if (focus) set({ focus: get().focus + 1 })
      select(id, tab ?? 'overview')
    },
    close() {
      select(undefined, here().tab)
    },
    toggleFull() {
      set({ full: !get().full && here().id !== undefined })
    },
    setTab(tab: Tab) {
      select(here().id, tab)
    },
    display(change: Partial<Omit<Display, 'full' | 'focus'>>) {
      set(change)
    },
    showPath(id: string, path: string) {
      showPart('body', { bodyView: 'tree', shownPath: { id, path } })
    },
    showRaw(rawSide: Display['rawSide'], rawView = get().rawView) {
      showPart('raw', { rawSide, rawView })
    },
    showSignature(signatureTool: Display['signatureTool']) {
      showPart('signature', { signatureTool })
    },
    showSend(sendId: string | null) {
      showPart('history', { sendId })
    },
  }
}
