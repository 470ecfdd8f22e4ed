/** How the open delivery is displayed, and what leads to one. Which one is open, and its tab, are in the address. */
import { isRouted, type NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { Tab } from '../../ui-state/routes.ts'
import { againNotice } from './summary.ts'

export const bodyViews = ['tree', 'formatted', 'text', 'hex'] as const

interface StoredSide {
  readonly kind: 'delivery'
  readonly id: string
}

/** What the slice needs from other features. */
interface DetailContext {
  readonly core: Pick<CoreSlice, 'status' | 'hooks'>
  readonly navigation: NavigationSlice
  readonly list: {
    readonly selectedSeq: number | null
    readonly rows: { readonly rows: ReadonlyMap<number, DeliveryRow> }
    show(row: DeliveryRow): void
    moveSelection(by: number): Promise<DeliveryRow | null>
  }
  readonly compare: { start(left: StoredSide, right: StoredSide): Promise<void> }
}

/** The view of the body and of the exchange, for any delivery or for one of them. */
interface Display {
  /** Whether the pane takes the whole width. */
  readonly full: boolean
  /** Incremented when the heading should take the focus. */
  readonly focus: number
  readonly bodyView: (typeof bodyViews)[number]
  /** Id of the delivery whose body is wanted as a whole. */
  readonly whole: string | null
  /** Id of the delivery whose compressed body is shown as received. */
  readonly asReceived: string | null
  /** A path that the body's tree selects once it is drawn. */
  readonly shownPath: { readonly id: string; readonly path: string } | null
  readonly rawView: 'text' | 'hex'
  readonly rawSide: 'request' | 'response'
  /** The tool of the Signature tab that is open when the tab appears. */
  readonly signatureTool: 'try' | 'code' | null
  /** The replay that History shows. */
  readonly sendId: string | null
  readonly snippetLanguage: string
}

const first: Display = {
  full: false,
  focus: 0,
  bodyView: 'tree',
  whole: null,
  asReceived: null,
  shownPath: null,
  rawView: 'text',
  rawSide: 'request',
  signatureTool: null,
  sendId: null,
  snippetLanguage: 'node',
}

export function createDetailSlice({
  client,
  data,
  act,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Display, DetailContext>) {
  const here = () => app().navigation.at.deliveries
  const select = (id: string | undefined, tab: Tab | undefined) =>
    app().navigation.select('deliveries', { id, tab })

  /** Shows a delivery that the address names in the list, wherever it is there. */
  const find = async (id: string) => {
    const { selectedSeq, rows } = app().list
    if (selectedSeq !== null && rows.rows.get(selectedSeq)?.id === id) return
    const delivery = await data.queries
      .fetchQuery<DeliveryRow>({ queryKey: ['deliveries.get', { id }] })
      // The pane shows why it can't be read.
      .catch(() => null)
    if (delivery === null || here().id !== id) return
    app().list.show(delivery)
    set(({ focus }) => ({ focus: focus + 1 }))
    // A short ID, or `latest`.
    select(delivery.id, here().tab)
  }
  subscribe((now, before) => {
    if (!isRouted('deliveries', now, before)) return
    const { id, tab } = now.navigation.at.deliveries
    const last = before.navigation.at.deliveries
    if (tab === undefined && last.tab !== undefined) select(id, last.tab)
    else if (tab !== last.tab) set({ signatureTool: null })
    if (id === undefined) set({ full: false })
    else if (id !== last.id || before.core.status === null) void find(id)
  })

  const showPart = (tab: Tab, display: Partial<Display>) => {
    select(here().id, tab)
    set(display)
  }

  return {
    ...first,

    /** Shows a delivery; with `focus`, the pane takes the focus. By default with the tab shown last. */
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
    /** Verifies the open delivery again with the current hooks. A notice has the result. */
    async verifyAgain() {
      const { id } = here()
      const before = id === undefined ? undefined : data.known('deliveries.get', { id })
      if (id === undefined || before === undefined) return
      await act("Couldn't verify again", () => client.call('deliveries.diagnose', { id }), {
        done: ({ report }) =>
          againNotice(
            before.verdict,
            report,
            app().core.hooks.find((hook) => hook.id === report.hookId),
          ),
      })
    },
    /** Opens the nearest delivery of the same hook and event. */
    async openAlike(by: 1 | -1) {
      const row = await app().list.moveSelection(0)
      if (row === null) return
      await act(
        by < 0 ? "Couldn't find the previous delivery" : "Couldn't find the next delivery",
        async () => {
          const { row: found } = await client.call('compare.neighbour', { deliveryId: row.id, by })
          if (found !== null) app().navigation.go('deliveries', { id: found.id })
          return found
        },
        {
          done: (found) =>
            found === null
              ? {
                  tone: 'ok',
                  title: by < 0 ? 'No earlier delivery' : 'No later delivery',
                  message: `This is the ${by < 0 ? 'first' : 'latest'} delivery of ${row.hookId === null ? 'this path' : 'this hook'} and event.`,
                }
              : null,
        },
      )
    },
    /** Compares the open delivery with the last valid one of an event. */
    async compareWithEvent(event: string) {
      const found = await act(
        "Couldn't find a delivery to compare with",
        () => client.call('deliveries.page', { query: `event:${event} is:valid`, limit: 1 }),
        {
          done: ({ rows }) =>
            rows.length > 0
              ? null
              : {
                  tone: 'neutral',
                  title: `No ${event} to compare with`,
                  message: 'Send a sample first.',
                },
        },
      )
      const { id } = here()
      const other = found?.rows[0]
      if (id !== undefined && other !== undefined)
        await app().compare.start({ kind: 'delivery', id: other.id }, { kind: 'delivery', id })
    },
  }
}
