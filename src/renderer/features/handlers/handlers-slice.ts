/** Saved handlers in the window: which one is shown or edited, its page, and the actions on it. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { HandlerPage, HandlerProbe, SavedHandler } from '../../../shared/model/handler.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import { withItem, type FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet, sentenceOf, type OffersUndo } from '../../state/slice-context.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { failingQuery, groupResults, isProbedAlone, type GroupResult } from './handler-facts.ts'

/** A handler with only some fields filled in, for the form. */
export type HandlerBegun = Partial<
  Pick<InputOf<'handlers.add'>, 'name' | 'url' | 'secret' | 'registeredUrl'>
>

/** Only the name and the URL are needed. */
type NewHandler = Pick<InputOf<'handlers.add'>, 'name' | 'url'> & Partial<InputOf<'handlers.add'>>

/** A handler's page, with what other commands know about it. */
export interface ShownPage extends HandlerPage {
  readonly handlerId: string
  /** Deliveries whose last response from it failed. */
  readonly failing: number
  /** The groups of its last check. */
  readonly checkGroups: readonly GroupResult[]
}

export interface HandlersSlice {
  /** URLs typed before in any form, most recent first. */
  readonly recent: readonly string[]
  /** The shown handler. */
  readonly selectedId: string | null
  /** The handler being edited, or what a new one begins with. */
  readonly edited: SavedHandler | HandlerBegun
  /** What is known about the shown handler; null until loaded. */
  readonly page: ShownPage | null
  readonly pageProblem: string | null
  /** The last connection test of each handler, by ID. */
  readonly probes: Readonly<Record<string, HandlerProbe>>
  select(id: string | null): void
  /** Opens the form for a handler; without an ID, for a new one. */
  edit(handler: SavedHandler | HandlerBegun): void
  readPage(id: string): Promise<void>
  /** Tests whether a handler's host accepts a connection. Rejects on errors and while consent is missing. */
  probe(input: InputOf<'handlers.probe'>): Promise<void>
  /** Tests the handlers on this computer, which needs no consent. */
  probeHere(): Promise<void>
  /** Reads `recent`. It only suggests, so a failure leaves it unchanged. */
  readRecent(): Promise<void>
  /** The first handler becomes current. */
  add(input: NewHandler): Promise<CallResult<SavedHandler>>
  update(input: InputOf<'handlers.update'>): Promise<CallResult<SavedHandler>>
  /** Deletes a handler; the notice offers to undo it. */
  remove(handler: SavedHandler): Promise<void>
  /** Makes a handler the current one; null for none. */
  use(id: string | null): Promise<void>
}

/** What the slice needs from other features. */
interface Around {
  readonly core: EntitiesSlice
  readonly navigation: NavigationSlice
  readonly marks: OffersUndo
}

/** How long a removal can be undone. */
const UNDO_MS = 10_000

/** The number only labels a button. */
const MOST_COUNTED = 10_000

/** How many earlier checks and flow runs suggest endpoints. */
const RECENT_RUNS = 20

export function createHandlersSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<HandlersSlice, Around>): HandlersSlice {
  /** Shows a change before its event arrives. */
  const put = async (
    call: Promise<{ handler: SavedHandler }>,
  ): Promise<CallResult<SavedHandler>> => {
    const outcome = await outcomeOf(call)
    if (!outcome.ok) return outcome
    const { handler } = outcome.value
    const { handlers, setHandlers } = app().core
    setHandlers(
      handlers.some(({ id }) => id === handler.id)
        ? withItem(handlers, handler)
        : [...handlers, handler],
    )
    return { ok: true, value: handler }
  }
  const restore = (removal: string) =>
    act(
      "Couldn't restore the handler",
      async () => {
        const { handler } = await client.call('handlers.restore', { removal })
        get().select(handler.id)
        return handler
      },
      { done: (handler) => ({ tone: 'ok', title: `${handlerRef(handler)} restored` }) },
    )
  /** The groups of the check read last. Its results are large, and don't change once it has ended. */
  let groups: { readonly runId: string; readonly results: readonly GroupResult[] } | null = null
  const readGroups = async (runId: string | null) => {
    if (runId === null) return []
    if (groups?.runId !== runId) {
      const read = await outcomeOf(client.call('check.get', { runId }))
      groups = { runId, results: read.ok ? groupResults(read.value.run.results) : [] }
    }
    return groups.results
  }
  const probe = async (input: InputOf<'handlers.probe'>) => {
    const result = await client.call('handlers.probe', input)
    set(({ probes }) => ({ probes: { ...probes, [input.id]: result } }))
  }
  return {
    recent: [],
    selectedId: null,
    edited: {},
    page: null,
    pageProblem: null,
    probes: {},
    select(selectedId) {
      if (get().selectedId !== selectedId) set({ selectedId, page: null, pageProblem: null })
    },
    edit(edited) {
      set({ edited })
      app().navigation.openOverlay('handler')
    },
    async readPage(id) {
      try {
        const name = app().core.handlers.find((one) => one.id === id)?.name ?? ''
        const [page, { counts }] = await Promise.all([
          client.call('handlers.page', { id }),
          client.call('deliveries.counts', {
            queries: [failingQuery({ name })],
            most: MOST_COUNTED,
          }),
        ])
        const checkGroups = await readGroups(page.checks.at(-1)?.runId ?? null)
        if (get().selectedId === id)
          set({
            page: { ...page, handlerId: id, failing: counts[0]?.count ?? 0, checkGroups },
            pageProblem: null,
          })
      } catch (error) {
        if (!isQuiet(error) && get().selectedId === id) set({ pageProblem: sentenceOf(error) })
      }
    },
    probe,
    async probeHere() {
      const here = app().core.handlers.filter(isProbedAlone)
      // A handler that was just deleted can't be tested; the next round leaves it out.
      await Promise.all(here.map(({ id }) => probe({ id }).catch(() => undefined)))
    },
    async readRecent() {
      const [replays, forward, checks, flows] = await Promise.all([
        outcomeOf(client.call('replay.targets', {})),
        outcomeOf(client.call('forward.list', {})),
        outcomeOf(client.call('check.list', { limit: RECENT_RUNS })),
        outcomeOf(client.call('flows.runs', { limit: RECENT_RUNS })),
      ])
      const urls = [
        ...(replays.ok ? replays.value.recent : []),
        ...(checks.ok ? checks.value.runs.map(({ target }) => target) : []),
        ...(flows.ok ? flows.value.runs.flatMap(({ handler }) => handler ?? []) : []),
        ...(forward.ok ? forward.value.targets.map(({ url }) => url) : []),
      ]
      set({ recent: [...new Set(urls.filter((url) => url !== ''))] })
    },
    add: (input) => put(client.call('handlers.add', input)),
    update: (input) => put(client.call('handlers.update', input)),
    async remove(handler) {
      await act(
        `Couldn't delete ${handlerRef(handler)}`,
        () => client.call('handlers.remove', { id: handler.id }),
        {
          done: ({ removal }) => ({
            tone: 'neutral',
            title: `${handlerRef(handler)} deleted`,
            ...app().marks.offerUndo(() => void restore(removal), UNDO_MS),
          }),
        },
      )
    },
    async use(id) {
      await act("Couldn't change the current handler", async () => {
        app().core.setHandlers((await client.call('handlers.use', { id })).handlers)
      })
    },
  }
}
