/** The search bar: its text and the applied query; and the saved views. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { View } from '../../../shared/model/retention.ts'
import { namesFlowRuns, parseQuery } from '../../../shared/query/parse.ts'
import type { QueryProblem } from '../../../shared/query/problem.ts'
import { bothOf, inSpanOf } from '../../../shared/query/terms.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { outcomeOf } from '../../ui/call-problem.ts'
import { splitQuery, withSpan, type TimelineSpan } from './timeline-facts.ts'

/** Delay after typing before the list is loaded. */
const PAUSE_MS = 200

export type FilterSlice = ReturnType<typeof createFilterSlice>

interface Filter {
  /** The text in the field. */
  readonly draft: string
  /** Why the text can't be parsed, and where; null if it can. */
  readonly draftProblem: QueryProblem | null
  /** The applied query: the last draft that could be parsed. */
  readonly applied: string
  /** Whether the timeline is open, with statistics. */
  readonly showsStatistics: boolean
}

interface FilterContext {
  /** Filters the list by this query; the empty query shows everything. */
  readonly list: { showOnly(query: string): void }
  readonly navigation: Pick<NavigationSlice, 'at' | 'select'>
}

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

const first: Filter = {
  draft: '',
  draftProblem: null,
  applied: '',
  showsStatistics: false,
}

export function createFilterSlice({
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Filter, FilterContext>) {
  let timer: ReturnType<typeof setTimeout> | undefined

  const put = (filter: string) => {
    clearTimeout(timer)
    // The list requests its first page before anything else reacts to the filter.
    app().list.showOnly(filter)
    set({ applied: filter })
    const { at, select } = app().navigation
    select('deliveries', { ...at.deliveries, q: filter === '' ? undefined : filter })
  }
  subscribe(({ navigation }, before) => {
    const { q = '' } = navigation.at.deliveries
    if (q === (before.navigation.at.deliveries.q ?? '') || q === get().applied) return
    actions.setDraft(q)
    actions.apply()
  })

  const actions = {
    setDraft(draft: string) {
      const draftProblem = queryProblemOf(draft)
      set({ draft, draftProblem })
      clearTimeout(timer)
      if (draftProblem === null) timer = setTimeout(actions.apply, PAUSE_MS)
    },
    /** Applies the draft at once, without waiting for more typing. */
    apply() {
      const { draft, draftProblem } = get()
      if (draftProblem === null) put(draft.trim())
    },
    clear() {
      set({ draft: '', draftProblem: null })
      put('')
    },
    /** Writes a span of time into the query; null removes it. */
    selectSpan(span: TimelineSpan | null) {
      const { applied } = get()
      const now = Date.now()
      actions.setDraft(span === null ? splitQuery(applied, now).rest : withSpan(applied, span, now))
      actions.apply()
    },
    toggleStatistics: () => set(({ showsStatistics }) => ({ showsStatistics: !showsStatistics })),
  }
  return { ...first, ...actions }
}

/** What the views need from the rest of the list. */
interface ViewsContext {
  readonly filter: FilterSlice
  readonly navigation: { go(screen: 'deliveries'): void }
}

export const hidesFlowRuns = (query: string) => !namesFlowRuns(parseQuery(query))

/** The view that a query shows, apart from its time span. */
export function viewOf(query: string, views: readonly View[]): View | undefined {
  return (
    views.find((view) => view.query === query) ??
    views.find((view) => inSpanOf(view.query, query) === query)
  )
}

/** Named searches, stored by the core and shown in every window, and the built-in ones. */
export function createSavedViewsSlice({ client, app }: FeatureTools<object, ViewsContext>) {
  return {
    save: (view: Omit<View, 'id'> & { readonly id?: string }) =>
      outcomeOf(client.call('views.save', view)),
    remove: (id: string) => outcomeOf(client.call('views.remove', { id })),
    /** Applies a view within the current time span. */
    open(view: View) {
      const { filter, navigation } = app()
      navigation.go('deliveries')
      filter.setDraft(
        inSpanOf(view.query, filter.draftProblem === null ? filter.draft : filter.applied),
      )
      filter.apply()
    },
    /** Lists the deliveries of flow runs too that match. */
    showHidden() {
      const { filter } = app()
      filter.setDraft(bothOf(filter.applied, 'is:any'))
      filter.apply()
    },
  }
}
