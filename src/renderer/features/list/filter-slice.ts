/** The search bar: its text, the applied query, and whether it hides or highlights rows; and the saved views. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { QueryCount } from '../../../shared/contract/nouns/deliveries.ts'
import type { View } from '../../../shared/model/settings.ts'
import { NOTHING_STORED, type StoredValues } from '../../../shared/query/complete.ts'
import { parsePieces, parseQuery } from '../../../shared/query/parse.ts'
import type { QueryHint, QueryProblem } from '../../../shared/query/problem.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet } from '../../state/slice-context.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

/** Delay after typing before the list is loaded. */
const PAUSE_MS = 200

export type FilterMode = 'hide' | 'mark'

export interface FilterSlice {
  /** The text in the field. */
  readonly draft: string
  /** Why the text can't be parsed, and where; null if it can. */
  readonly draftProblem: QueryProblem | null
  /** The first part that was probably meant differently; null if there is no sign of that. */
  readonly draftHint: QueryHint | null
  /** The applied query: the last draft that could be parsed. */
  readonly applied: string
  readonly mode: FilterMode
  /** Completions while typing. */
  readonly stored: StoredValues

  setDraft(draft: string): void
  /** Applies the draft at once, without waiting for more typing. */
  apply(): void
  clear(): void
  setMode(mode: FilterMode): void
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
    counts: new Map(),

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
    countMatches: countSoon(client, COUNT_PAUSE_MS, (counts) => {
      set({ counts })
    }),
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
const COUNT_PAUSE_MS = 120

/** Counts queries after a pause. New ones cancel those before; `told` gets the counts by query. */
function countSoon(client: Client, pauseMs: number, told: (counts: ReadonlyMap<string, QueryCount>) => void) {
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
          told(new Map(counts.flatMap((count, place) => (count === null ? [] : [[queries[place] ?? '', count] as const]))))
        },
        // Without counts, completions and views still work.
        () => undefined,
      )
    }, pauseMs)
  }
}

interface SavedViewsSlice {
  readonly all: readonly View[]
  changed(views: readonly View[]): void
  /** Creates a view, or updates it if an id is given. */
  save(view: Omit<View, 'id'> & { readonly id?: string }): Promise<CallResult<View>>
  remove(id: string): Promise<CallResult<object>>
}

/** Named searches, stored by the core and shown in every window. */
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
