/** The open delivery: its data, its body as far as loaded, and how it is displayed. */
import {
  BLANK_DELIVERY,
  type Delivery,
  type DeliveryRow,
  type SchemaReport,
} from '../../../shared/model/delivery.ts'
import type { SignatureReport, SignatureTrial } from '../../../shared/model/signature.ts'
import { isRouted, type NavigationSlice } from '../../state/navigation-slice.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import type { Tab } from '../../state/routes.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import { concatenated, fromBase64, type LoadedBytes } from '../../ui/bytes.ts'

const SKELETON_AFTER_MS = 150

/** Everything the pane shows about one delivery. Always replaced as a whole, first by what the row has, then by all of it. */
export interface Shown {
  readonly delivery: Delivery
  /** False while `delivery` has only what its row in the list had; everything else is then empty. */
  readonly loaded: boolean
  /** Null if it couldn't be explained; `signatureProblem` then says why. */
  readonly signature: SignatureReport | null
  readonly signatureProblem: string | null
  /** The result of the schema check; null if it couldn't be loaded. */
  readonly schema: SchemaReport | null
  readonly attempts: readonly DeliveryRow[]
  readonly body: LoadedBytes
}

interface VerifiedAgain {
  readonly id: string
  readonly at: string
  readonly outcome: CallResult<SignatureTrial>
}

export interface DetailSlice {
  readonly mode: 'closed' | 'pane' | 'full'
  readonly tab: Tab
  readonly rawView: 'text' | 'hex'
  /** Which side of the exchange the Raw tab shows. */
  readonly rawSide: 'request' | 'response'
  /** The tool of the Signature tab that is open when the tab appears. */
  readonly signatureTool: 'try' | 'code' | null
  /** The selected request of the Replays tab; null for the newest. */
  readonly sendId: string | null
  /** The language of the verification program. */
  readonly snippetLanguage: string
  /** The last result of verifying a delivery again. */
  readonly verifiedAgain: VerifiedAgain | null
  /** Id of the delivery to show. */
  readonly openId: string | null
  readonly shown: Shown | null
  /** The tab notes of the previous delivery keep their width until the next ones are loaded. */
  readonly lastLoaded: Shown | null
  /** Loading takes long enough to show a placeholder. */
  readonly slow: boolean
  readonly problem: string | null
  /** Incremented when the heading should take the focus. */
  readonly focus: number

  /** Shows a delivery; with `focus`, the pane takes the focus. The Overview shows what the row has at once. */
  open(id: string, focus: boolean, row?: DeliveryRow): void
  /** Opens a delivery by id, wherever it is in the list. */
  goTo(id: string): Promise<void>
  refresh(ids: readonly string[]): void
  close(): void
  toggleFull(): void
  setTab(tab: Tab): void
  setRawView(view: 'text' | 'hex'): void
  /** Opens the Raw tab on one side. */
  showRaw(side: 'request' | 'response', view?: 'text' | 'hex'): void
  /** Opens the Signature tab, with one of its tools. */
  showSignature(tool: DetailSlice['signatureTool']): void
  /** Selects a request of the Replays tab. */
  selectSend(sendId: string | null): void
  setSnippetLanguage(id: string): void
  /** Verifies the open delivery again with the current hooks. */
  verifyAgain(): Promise<void>
  /** Opens the nearest delivery of the same hook and event. */
  openAlike(by: 1 | -1): Promise<void>
  /** Compares the open delivery with the last valid one of an event. */
  compareWithEvent(event: string): Promise<void>
  loadWholeBody(): Promise<void>
}

/** What is known of a delivery before anything is read. */
function shownFromRow(row: DeliveryRow): Shown {
  return {
    delivery: { ...BLANK_DELIVERY, ...row },
    loaded: false,
    signature: null,
    signatureProblem: null,
    schema: null,
    attempts: [],
    body: { bytes: new Uint8Array(), size: 0, loading: true },
  }
}

/** A delivery as a side of a comparison. */
interface StoredSide {
  readonly kind: 'delivery'
  readonly id: string
}

/** What the slice needs from other features. */
interface Around {
  readonly core: CoreSlice
  readonly navigation: NavigationSlice
  readonly list: {
    show(row: DeliveryRow): void
    moveSelection(by: number): Promise<DeliveryRow | null>
  }
  readonly compare: { start(left: StoredSide, right: StoredSide): Promise<void> }
}

export function createDetailSlice({
  client,
  fail,
  act,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<DetailSlice, Around>): DetailSlice {
  let loading: AbortController | null = null

  /** Writes the address of the open delivery. */
  const select = () => {
    const { openId: id, tab } = get()
    app().navigation.select('deliveries', id === null ? {} : { id, tab })
  }
  subscribe((now, before) => {
    if (!isRouted('deliveries', now, before)) return
    const { id = null, tab = get().tab } = now.navigation.at.deliveries
    if (tab !== get().tab) set({ tab, signatureTool: null })
    if (id === get().openId) return
    if (id === null) get().close()
    else void get().goTo(id)
  })

  const readBody = async (id: string, offset: number, signal: AbortSignal) => {
    const piece = await client.call('deliveries.body', { id, offset }, { signal })
    return { bytes: fromBase64(piece.base64), size: piece.size }
  }

  const load = async (id: string) => {
    loading?.abort()
    const mine = new AbortController()
    loading = mine
    const slow = setTimeout(() => set({ slow: true }), SKELETON_AFTER_MS)
    try {
      const { shown: before } = get()
      const kept = before?.loaded === true && before.delivery.id === id ? before.body : undefined
      const options = { signal: mine.signal }
      // Run side by side, because each needs its own turn of the reader's thread and the connection.
      const [delivery, signature, schema, { rows }, body] = await Promise.all([
        client.call('deliveries.get', { id }, options),
        client.call('deliveries.signature', { id }, options).then(
          (report) => ({ report, problem: null }),
          // The rest of the delivery is useful without it.
          (error: unknown) => ({ report: null, problem: sentenceOf(error) }),
        ),
        client.call('deliveries.schema', { id }, options).catch(() => null),
        client.call('deliveries.attempts', { id }, options),
        kept ?? readBody(id, 0, mine.signal),
      ])
      if (mine.signal.aborted) return
      const { report, problem } = signature
      const shown = {
        delivery,
        loaded: true,
        signature: report,
        signatureProblem: problem,
        schema,
        attempts: rows,
        body: { loading: false, ...body },
      }
      set({ shown, lastLoaded: shown, problem: null })
    } catch (error) {
      if (!mine.signal.aborted && !isQuiet(error)) set({ problem: sentenceOf(error) })
    } finally {
      clearTimeout(slow)
      if (loading === mine) set({ slow: false })
    }
  }

  return {
    mode: 'closed',
    tab: 'overview',
    rawView: 'text',
    rawSide: 'request',
    signatureTool: null,
    sendId: null,
    snippetLanguage: 'node',
    verifiedAgain: null,
    openId: null,
    shown: null,
    lastLoaded: null,
    slow: false,
    problem: null,
    focus: 0,

    open(id, focus, row) {
      const { mode: detailMode, openId, focus: focusDetail, shown, tab } = get()
      const isShown = id === openId && shown?.delivery.id === id
      set({
        mode: detailMode === 'closed' ? 'pane' : detailMode,
        openId: id,
        focus: focus ? focusDetail + 1 : focusDetail,
        problem: null,
        ...(row === undefined || tab !== 'overview' || shown?.delivery.id === id
          ? {}
          : { shown: shownFromRow(row) }),
      })
      select()
      if (!isShown || !shown.loaded) void load(id)
    },
    async goTo(id) {
      await act('Delivery not found', async () => {
        const delivery = await client.call('deliveries.get', { id })
        app().list.show(delivery)
        get().open(delivery.id, true, delivery)
      })
      // What the address names may not be there.
      select()
    },
    refresh(ids) {
      const { openId, shown } = get()
      if (openId === null || shown === null) return
      if (ids.includes(openId) || shown.attempts.some((row) => ids.includes(row.id)))
        void load(openId)
    },
    close() {
      loading?.abort()
      set({ mode: 'closed', openId: null })
      select()
    },
    toggleFull() {
      set(({ mode: detailMode }) => ({
        mode: detailMode === 'full' ? 'pane' : detailMode === 'pane' ? 'full' : 'closed',
      }))
    },
    setTab(tab) {
      set({ tab, signatureTool: null })
      select()
    },
    setRawView(rawView) {
      set({ rawView })
    },
    showRaw(rawSide, rawView = get().rawView) {
      set({ tab: 'raw', rawSide, rawView })
      select()
    },
    showSignature(signatureTool) {
      set({ tab: 'signature', signatureTool })
      select()
    },
    selectSend(sendId) {
      set({ sendId })
    },
    setSnippetLanguage(snippetLanguage) {
      set({ snippetLanguage })
    },
    async verifyAgain() {
      const id = get().shown?.delivery.id
      if (id === undefined) return
      const outcome = await outcomeOf(client.call('deliveries.diagnose', { id }))
      set({ verifiedAgain: { id, at: new Date().toISOString(), outcome } })
    },
    async openAlike(by) {
      const row = await app().list.moveSelection(0)
      if (row === null) return
      await act(
        by < 0 ? "Couldn't find the previous delivery" : "Couldn't find the next delivery",
        async () => {
          const { row: found } = await client.call('compare.neighbour', { deliveryId: row.id, by })
          if (found !== null) await get().goTo(found.id)
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
    async compareWithEvent(event) {
      const id = get().openId
      if (id === null) return
      const find = () =>
        client.call('deliveries.page', { query: `event:${event} is:valid`, limit: 1 })
      const found = await act("Couldn't find a delivery to compare with", find, {
        done: ({ rows }) =>
          rows.length > 0
            ? null
            : {
                tone: 'neutral',
                title: `No ${event} to compare with`,
                message: 'Send a sample first.',
              },
      })
      const other = found?.rows[0]
      if (other !== undefined)
        await app().compare.start({ kind: 'delivery', id: other.id }, { kind: 'delivery', id })
    },
    async loadWholeBody() {
      const start = get().shown
      if (start === null || !start.loaded || start.body.loading) return
      const id = start.delivery.id
      const signal = loading?.signal ?? new AbortController().signal
      const change = (body: Partial<LoadedBytes>) =>
        set(({ shown }) =>
          shown?.delivery.id === id
            ? { shown: { ...shown, body: { ...shown.body, ...body } } }
            : {},
        )
      change({ loading: true })
      const pieces = [start.body.bytes]
      let read = start.body.bytes.length
      try {
        while (read < start.body.size) {
          const { bytes } = await readBody(id, read, signal)
          if (bytes.length === 0) break
          pieces.push(bytes)
          read += bytes.length
        }
        change({ bytes: concatenated(pieces) })
      } catch (error) {
        fail("Couldn't load the full body", error)
      } finally {
        change({ loading: false })
      }
    },
  }
}
