/** The search bar: what is typed, what of it is in force, and whether it hides what does not match or marks what does. */
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import { NOTHING_STORED, type StoredValues } from '../../../shared/query/complete.ts'
import { parsePieces, parseQuery } from '../../../shared/query/parse.ts'
import type { QueryHint, QueryProblem } from '../../../shared/query/problem.ts'
import { isQuiet, type SliceContext } from '../../state/slice-context.ts'

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
  readonly filter: string
  readonly filterMode: FilterMode
  /** What can be offered while typing. */
  readonly stored: StoredValues

  setDraft(draft: string): void
  /** Puts the draft in force without waiting for more of it. */
  applyDraft(): void
  clearQuery(): void
  setFilterMode(mode: FilterMode): void
  /** Reads what can be offered; what was read before is offered until then. */
  loadStored(): Promise<void>
}

/** What the slice asks of the list: to show only what this query finds; everything for the empty one. */
interface ListOfFilter {
  showOnly(query: string): void
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

export function createFilterSlice({ client }: SliceContext): StateCreator<FilterSlice & ListOfFilter, [], [], FilterSlice> {
  return (set, get) => {
    let timer: ReturnType<typeof setTimeout> | undefined

    const put = (filter: string, mode: FilterMode) => {
      clearTimeout(timer)
      set({ filter, filterMode: mode })
      get().showOnly(mode === 'hide' ? filter : '')
    }

    return {
      draft: '',
      draftProblem: null,
      draftHint: null,
      filter: '',
      filterMode: 'hide',
      stored: NOTHING_STORED,

      setDraft(draft) {
        const draftProblem = queryProblemOf(draft)
        const draftHint = draftProblem === null ? (parsePieces(draft).hints[0] ?? null) : null
        set({ draft, draftProblem, draftHint })
        clearTimeout(timer)
        if (draftProblem === null) timer = setTimeout(get().applyDraft, PAUSE_MS)
      },
      applyDraft() {
        const { draft, draftProblem, filterMode } = get()
        if (draftProblem === null) put(draft.trim(), filterMode)
      },
      clearQuery() {
        set({ draft: '', draftProblem: null, draftHint: null })
        put('', get().filterMode)
      },
      setFilterMode(mode) {
        const { draft, draftProblem, filter } = get()
        put(draftProblem === null ? draft.trim() : filter, mode)
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
}
