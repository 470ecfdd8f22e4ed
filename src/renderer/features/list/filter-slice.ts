/** The search bar: its text and the applied query; and the saved views. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { QueryCount } from '../../../shared/contract/nouns/deliveries.ts'
import { BUILT_IN_VIEWS, type View } from '../../../shared/model/settings.ts'
import { NOTHING_STORED, type StoredValues } from '../../../shared/query/complete.ts'
import { namesFlowRuns, parsePieces, parseQuery } from '../../../shared/query/parse.ts'
import type { QueryHint, QueryProblem } from '../../../shared/query/problem.ts'
import { bothOf, inSpanOf } from '../../../shared/query/terms.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet } from '../../data/act.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

/** Delay after typing before the list is loaded. */
const PAUSE_MS = 200

export interface FilterSlice {
  /** The text in the field. */
  readonly draft: string
  /** Why the text can't be parsed, and where; null if it can. */
  readonly draftProblem: QueryProblem | null
  /** The first part that was probably meant differently; null if there is no sign of that. */
  readonly draftHint: QueryHint | null
  /** The applied query: the last draft that could be parsed. */
  readonly applied: string
  /** Completions while typing. */
  readonly stored: StoredValues

  setDraft(draft: string): void
  /** Applies the draft at once, without waiting for more typing. */
  apply(): void
  clear(): void
  /** How many deliveries each offered completion finds, by its query. */
  readonly counts: ReadonlyMap<string, QueryCount>
  /** Loads completions. Earlier ones are offered until then. */
  loadStored(): Promise<void>
  /** Counts the matches of these queries soon, unless others are wanted before that. */
  countMatches(queries: readonly string[]): void
}

/** Filters the list by this query; the empty query shows everything. */
interface ListOfFilter {
  readonly list: { showOnly(query: string): void }
}

/** Why a query can't be parsed; null if it can. */
export function queryProblemOf(query: string): QueryProblem | null {
  try {
    parseQuery(query)
    return null
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_QUERY')
      return error.details as QueryProblem
    throw error
  }
}

export function createFilterSlice({
  client,
  set,
  get,
  app,
}: FeatureTools<FilterSlice, ListOfFilter>): FilterSlice {
  let timer: ReturnType<typeof setTimeout> | undefined

  const put = (filter: string) => {
    clearTimeout(timer)
    // The list requests its first page before anything else reacts to the filter.
    app().list.showOnly(filter)
    set({ applied: filter })
  }

  return {
    draft: '',
    draftProblem: null,
    draftHint: null,
    applied: '',
    stored: NOTHING_STORED,
    counts: new Map(),

    setDraft(draft) {
      const draftProblem = queryProblemOf(draft)
      const draftHint = draftProblem === null ? (parsePieces(draft).hints[0] ?? null) : null
      set({ draft, draftProblem, draftHint })
      clearTimeout(timer)
      if (draftProblem === null) timer = setTimeout(get().apply, PAUSE_MS)
    },
    apply() {
      const { draft, draftProblem } = get()
      if (draftProblem === null) put(draft.trim())
    },
    clear() {
      set({ draft: '', draftProblem: null, draftHint: null })
      put('')
    },
    countMatches: countSoon(client, COUNT_PAUSE_MS, (counts) => set({ counts })),
    async loadStored() {
      try {
        set({ stored: await client.call('deliveries.suggest', {}) })
      } catch (error) {
        // Without completions the filter still works.
        if (!isQuiet(error)) set({ stored: NOTHING_STORED })
      }
    },
  }
}

/** Delay after typing before completions are counted. */
export const COUNT_PAUSE_MS = 120
/** Queries per call. */
const MOST_COUNTED = 60

/** Counts queries after a pause. New queries cancel earlier ones. `onCounts` gets the counts by query. */
function countSoon(
  client: Client,
  pauseMs: number,
  onCounts: (counts: ReadonlyMap<string, QueryCount>) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let counting = new AbortController()
  return (queries: readonly string[]) => {
    clearTimeout(timer)
    counting.abort()
    if (queries.length === 0) return
    const { signal } = (counting = new AbortController())
    timer = setTimeout(() => {
      client.call('deliveries.counts', { queries: [...queries] }, { signal }).then(
        ({ counts }) => {
          if (signal.aborted) return
          onCounts(
            new Map(
              counts.flatMap((count, place) =>
                count === null ? [] : [[queries[place] ?? '', count] as const],
              ),
            ),
          )
        },
        // Without counts, completions and views still work.
        () => undefined,
      )
    }, pauseMs)
  }
}

interface SavedViewsSlice {
  /** How many deliveries each view finds within the current time span, by the view's id. */
  readonly counts: ReadonlyMap<string, QueryCount>
  /** Creates a view, or updates it if an id is given. */
  save(view: Omit<View, 'id'> & { readonly id?: string }): Promise<CallResult<View>>
  remove(id: string): Promise<CallResult<object>>
  /** Applies a view within the current time span. */
  open(view: View): void
  /** Lists the deliveries of flow runs too that match. */
  showHidden(): void
  /** Keeps the counts up to date until the returned function is called. */
  watch(): () => void
}

/** What the views need from the rest of the list. */
interface AroundViews {
  readonly filter: FilterSlice
  readonly navigation: { go(screen: 'deliveries'): void }
  readonly core: Pick<CoreSlice, 'status' | 'views'>
}

/** Whether the list of a query leaves out deliveries of flow runs. */
export const hidesFlowRuns = (query: string) => !namesFlowRuns(parseQuery(query))

/** The view that a query shows, apart from its time span. */
export function viewOf(query: string, views: readonly View[]): View | undefined {
  return (
    views.find((view) => view.query === query) ??
    views.find((view) => inSpanOf(view.query, query) === query)
  )
}

/** While deliveries arrive, views are counted again at most this often. */
const RECOUNT_MS = 1_000
/** And at most for this share of the time: counting a million deliveries can take a second. */
const RECOUNT_SHARE = 20

/** Named searches, stored by the core and shown in every window, and the built-in ones. */
export function createSavedViewsSlice({
  client,
  set,
  subscribe,
  app,
}: FeatureTools<SavedViewsSlice, AroundViews>): SavedViewsSlice {
  let watchers = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let counting = new AbortController()
  /** The span and views of the last count. */
  let countedOf = ''

  const wanted = () => {
    const { applied } = app().filter
    return [...BUILT_IN_VIEWS, ...app().core.views].map(({ id, query }) => ({
      id,
      query: inSpanOf(query, applied),
    }))
  }

  const count = async () => {
    const views = wanted().slice(0, MOST_COUNTED)
    countedOf = JSON.stringify(views)
    counting.abort()
    const { signal } = (counting = new AbortController())
    const startedAt = performance.now()
    try {
      const { counts } = await client.call(
        'deliveries.counts',
        { queries: views.map(({ query }) => query) },
        { signal },
      )
      set({
        counts: new Map(
          counts.flatMap((one, place) =>
            one === null ? [] : [[views[place]?.id ?? '', one] as const],
          ),
        ),
      })
    } catch {
      // Views work without counts.
    }
    return performance.now() - startedAt
  }

  /** After a quiet time, a change is counted at once; a change during a count is counted after it. */
  let notBefore = 0
  let isCounting = false
  let isStale = false
  const later = () => {
    isStale ||= isCounting
    if (timer !== undefined) return
    const mine = setTimeout(
      () => {
        isCounting = true
        isStale = false
        void count().then((took) => {
          if (timer !== mine) return
          timer = undefined
          isCounting = false
          notBefore = performance.now() + Math.max(RECOUNT_MS, took * RECOUNT_SHARE)
          if (isStale) later()
        })
      },
      Math.max(COUNT_PAUSE_MS, notBefore - performance.now()),
    )
    timer = mine
  }
  const atOnce = () => {
    clearTimeout(timer)
    timer = undefined
    isCounting = false
    notBefore = 0
    later()
  }

  subscribe((state, before) => {
    if (watchers === 0) return
    const { core, filter } = state
    const isOther = filter.applied !== before.filter.applied || core.views !== before.core.views
    if (isOther && JSON.stringify(wanted()) !== countedOf) atOnce()
    else if (core.status?.store.deliveries !== before.core.status?.store.deliveries) later()
  })

  // A delivery is described after it was stored, and changes views then without a new row.
  client.on('deliveries.changed', () => {
    if (watchers > 0) later()
  })

  return {
    counts: new Map(),
    save: (view) => outcomeOf(client.call('views.save', view)),
    remove: (id) => outcomeOf(client.call('views.remove', { id })),
    open(view) {
      const { filter, navigation } = app()
      navigation.go('deliveries')
      filter.setDraft(
        inSpanOf(view.query, filter.draftProblem === null ? filter.draft : filter.applied),
      )
      filter.apply()
    },
    showHidden() {
      const { filter } = app()
      filter.setDraft(bothOf(filter.applied, 'is:any'))
      filter.apply()
    },
    watch() {
      watchers++
      atOnce()
      return () => {
        watchers--
        if (watchers > 0) return
        clearTimeout(timer)
        timer = undefined
        counting.abort()
      }
    },
  }
}
