/** The filter: the text of its field, and the applied query. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { parseQuery } from '../../../shared/query/parse.ts'
import { unlistedFlags } from '../../../shared/query/selected-values.ts'
import { UNLISTED } from '../../../shared/query/unlisted.ts'
import type { QueryProblem } from '../../../shared/query/problem.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { splitQuery, withSpan, type TimelineSpan } from './timeline-span.ts'

/** Delay after typing before the list is loaded. */
const PAUSE_MS = 200

export type FilterSlice = ReturnType<typeof createFilterSlice>

interface Filter {
  /** Text of the field. */
  readonly draft: string
  /** Problem of the text and its position; null if it is valid. */
  readonly draftProblem: QueryProblem | null
  /** Last valid draft, which filters the list. */
  readonly applied: string
  /** Whether the timeline is open, with statistics. */
  readonly showsStatistics: boolean
}

interface FilterContext {
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

const initialFilter: Filter = {
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

  const applyQuery = (filter: string) => {
    clearTimeout(timer)
    // The list requests its first page before other readers of the filter.
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
      if (draftProblem === null) applyQuery(draft.trim())
    },
    clear() {
      set({ draft: '', draftProblem: null })
      applyQuery('')
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
  return { ...initialFilter, ...actions }
}

/** Whether a query's list leaves a delivery out. */
export function isUnlisted(
  { flowRun, origin }: Pick<DeliveryRow, 'flowRun' | 'origin'>,
  query: string,
): boolean {
  // Most rows need no look at the query.
  const isOf = { 'is:flow': flowRun !== null, 'is:composed': origin === 'composed' }
  if (!isOf['is:flow'] && !isOf['is:composed']) return false
  return unlistedFlags(parseQuery(query)).some((flag) => isOf[flag])
}

/** Whether a query names deliveries that lists leave out otherwise. */
export const namesUnlisted = (query: string) =>
  unlistedFlags(parseQuery(query)).length < Object.keys(UNLISTED).length
