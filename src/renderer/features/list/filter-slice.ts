/** The search bar: its text, the applied query, whether it hides or marks rows; and the saved views. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { View } from '../../../shared/model/view.ts'
import { NOTHING_STORED, type StoredValues } from '../../../shared/query/complete.ts'
import { parsePieces, parseQuery } from '../../../shared/query/parse.ts'
import type { QueryHint, QueryProblem } from '../../../shared/query/problem.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet } from '../../state/slice-context.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

/** Typing rests this long before the list is asked for. */
const PAUSE_MS = 200

export type FilterMode = 'hide' | 'mark'

export interface FilterSlice {
  /** What stands in the field. */
  readonly draft: string
  /** Why that cannot be read, and where; null where it can. */
  readonly draftProblem: QueryProblem | null
  /** Where it asks for something else than was probably meant, the first such place; null where nothing tells so. */
  readonly draftHint: QueryHint | null
  /** What of it is in force: the last draft that could be read. */
  readonly applied: string
  readonly mode: FilterMode
  /** What can be offered while typing. */
  readonly stored: StoredValues

  setDraft(draft: string): void
  /** Puts the draft in force without waiting for more of it. */
  apply(): void
  clear(): void
  setMode(mode: FilterMode): void
  /** Reads what can be offered; what was read before is offered until then. */
  loadStored(): Promise<void>
}

/** What the slice asks of the list: to show only what this query finds; everything for the empty one. */
interface ListOfFilter {
  readonly list: { showOnly(query: string): void }
}

/** Why a query cannot be read; null where it can. */
export function queryProblemOf(query: string): QueryProblem | null {
  try {
    parseQuery(query)
    return null
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_QUERY') return error.details as QueryProblem
    throw error
  }
}

export function createFilterSlice({ client, set, get, app }: FeatureTools<FilterSlice, ListOfFilter>): FilterSlice {
  let timer: ReturnType<typeof setTimeout> | undefined

  const put = (filter: string, mode: FilterMode) => {
    clearTimeout(timer)
    set({ applied: filter, mode })
    app().list.showOnly(mode === 'hide' ? filter : '')
  }

  return {
    draft: '',
    draftProblem: null,
    draftHint: null,
    applied: '',
    mode: 'hide',
    stored: NOTHING_STORED,

    setDraft(draft) {
      const draftProblem = queryProblemOf(draft)
      const draftHint = draftProblem === null ? (parsePieces(draft).hints[0] ?? null) : null
      set({ draft, draftProblem, draftHint })
      clearTimeout(timer)
      if (draftProblem === null) timer = setTimeout(get().apply, PAUSE_MS)
    },
    apply() {
      const { draft, draftProblem, mode } = get()
      if (draftProblem === null) put(draft.trim(), mode)
    },
    clear() {
      set({ draft: '', draftProblem: null, draftHint: null })
      put('', get().mode)
    },
    setMode(mode) {
      const { draft, draftProblem, applied } = get()
      put(draftProblem === null ? draft.trim() : applied, mode)
    },
    async loadStored() {
      try {
        set({ stored: await client.call('deliveries.suggest', {}) })
      } catch (error) {
        // Nothing is offered that is not known; the filter works without.
        if (!isQuiet(error)) set({ stored: NOTHING_STORED })
      }
    },
  }
}

interface SavedViewsSlice {
  readonly all: readonly View[]
  changed(views: readonly View[]): void
  /** Makes a view, or changes the one whose id is given. */
  save(view: Omit<View, 'id'> & { readonly id?: string }): Promise<Outcome<View>>
  remove(id: string): Promise<Outcome<object>>
}

/** Searches that were given a name. The core keeps them; every window shows the same. */
export function createSavedViewsSlice({ client, set }: FeatureTools<SavedViewsSlice>): SavedViewsSlice {
  return {
    all: [],
    changed: (views) => {
      set({ all: views })
    },
    save: (view) => outcomeOf(client.call('views.save', view)),
    remove: (id) => outcomeOf(client.call('views.remove', { id })),
  }
}
