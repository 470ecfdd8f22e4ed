/** Jobs of the search thread. */
import { countUpTo } from '../deliveries.ts'
import type { Query } from '../../../shared/query/query.ts'
import { readTimeline, type TimelineInput } from '../timeline.ts'
import type { ReadableDb } from '../database.ts'
import { mayBeIndexDamage } from '../sqlite-errors.ts'
import { readStatistics } from '../statistics.ts'
import { countMatches, findMatches, type CountInput, type FindInput } from './finder.ts'
import {
  attachSearch,
  detachSearch,
  openSearch,
  removeSearch,
  type SearchDb,
} from './open-search.ts'
import { Indexing } from './indexing.ts'

export interface SearchData {
  readonly file: string
  readonly searchFile: string
  readonly limitMs: number
}

export interface SearchTools {
  readonly main: ReadableDb
  readonly file: string
  search: SearchDb
  indexing: Indexing
}

function openTools(main: ReadableDb, file: string): SearchTools {
  const search = openSearch(file, main)
  try {
    attachSearch(main, file)
    return { main, file, search, indexing: new Indexing(search, main) }
  } catch (error) {
    closeSearchTools({ main, search })
    throw error
  }
}

/** Opens the index; a damaged one is recreated. */
export function openSearchTools(main: ReadableDb, file: string): SearchTools {
  try {
    return openTools(main, file)
  } catch (error) {
    if (!mayBeIndexDamage(error)) throw error
    removeSearch(file)
    return openTools(main, file)
  }
}

export function closeSearchTools({ main, search }: Pick<SearchTools, 'main' | 'search'>): void {
  detachSearch(main)
  search.close()
}

export const searchJobs = {
  fill: ({ indexing }: SearchTools, budgetMs: number) => indexing.fill(budgetMs),
  refresh: ({ indexing }: SearchTools, seqs: readonly number[]) => indexing.refresh(seqs),
  find: ({ main }: SearchTools, input: FindInput) => findMatches(main, input),
  count: ({ main }: SearchTools, input: CountInput) => countMatches(main, input),
  timeline: ({ main }: SearchTools, input: TimelineInput) => readTimeline(main, input),
  statistics: ({ main }: SearchTools, query: Query) => readStatistics(main, query),
  countUpTo: ({ main }: SearchTools, seq: number) => countUpTo(main, seq),
  /** Recreates the index, which nobody else may have open. */
  begin: (tools: SearchTools, _: null) => {
    closeSearchTools(tools)
    removeSearch(tools.file)
    Object.assign(tools, openSearchTools(tools.main, tools.file))
  },
} as const

export type SearchJobs = typeof searchJobs
